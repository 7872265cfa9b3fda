// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/bases/basis.hpp"
#include "krica/objectives/krica.hpp"

namespace krica {

/// The objective's options from the request, without a class-aware term.
KricaOptions krica_options(const BasisRequest& request);

}  // namespace krica
