// SPDX-License-Identifier: BSD-3-Clause
#include "krica/runtime/library.hpp"

namespace krica {

std::string_view version() { return KRICA_VERSION; }

}  // namespace krica
