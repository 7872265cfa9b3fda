// SPDX-License-Identifier: BSD-3-Clause
//
// The methods' learning functions, for the registry.
#pragma once

#include "krica/bases/basis.hpp"

namespace krica {

Basis learn_random_patches(const Context& context, const BasisRequest& request);
Basis learn_kmeans(const Context& context, const BasisRequest& request);
Basis learn_rica(const Context& context, const BasisRequest& request);
Basis learn_krica(const Context& context, const BasisRequest& request);
Basis learn_max_margin_start(const Context& context, const BasisRequest& request);

}  // namespace krica
