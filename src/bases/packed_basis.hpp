// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/bases/basis.hpp"
#include "krica/solvers/objective.hpp"

namespace krica {

/// Minimises an objective of a packed layer (objectives/packed_layer.hpp) from the request's
/// initial atoms, with biases that make the mean activity equal to the sparsity target. Returns the
/// layer's weights as atoms, with their bias.
Basis minimised_layer(const Context& context, SampledObjective<float>& objective,
                      const BasisRequest& request);

}  // namespace krica
