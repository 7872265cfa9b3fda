// SPDX-License-Identifier: BSD-3-Clause
//
// Tests are small: without this their loops would run on one thread, whatever the context allows.
#include "runtime/work_per_thread.hpp"

namespace {

[[maybe_unused]] const double usual = krica::set_work_per_thread(1);

}  // namespace
