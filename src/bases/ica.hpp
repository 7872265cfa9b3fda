// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/bases/basis.hpp"

namespace krica {

/// FastICA of what arrives (ica.cpp). Throws InvalidArgument for more components than directions,
/// saying how many there are and the remedy.
Basis unmixed(const Context& context, const BasisRequest& request, std::string_view remedy);

}  // namespace krica
