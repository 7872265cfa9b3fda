// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "krica/bases/basis.hpp"

namespace krica {

/// What the refusal of too many components says after their number.
struct IcaLimit {
  std::string_view what;
  std::string_view remedy;
};

/// FastICA of what arrives (ica.cpp). Throws InvalidArgument for more components than directions.
Basis unmixed(const Context& context, const BasisRequest& request, const IcaLimit& limit);

}  // namespace krica
