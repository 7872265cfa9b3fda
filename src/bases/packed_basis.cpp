// SPDX-License-Identifier: BSD-3-Clause
#include "bases/packed_basis.hpp"

#include <cmath>
#include <utility>

#include "bases/start.hpp"
#include "objectives/packed_layer.hpp"

namespace krica {

Basis minimised_layer(const Context& context, SampledObjective<float>& objective,
                      const BasisRequest& request) {
  const double target = request.options.sparsity_target;
  const Index n = request.patches.cols();
  Basis packed = minimised(context, objective, request, [&] {
    const auto bias = static_cast<float>(std::log(target / (1 - target)));
    return packed_layer<float>(starting_atoms(context, request), bias, request.options.untied);
  });
  const PackedLayer<float> layer(packed.atoms, n);
  Basis basis{Matrix<float>::copy_of(layer.weights), std::move(packed.history), packed.status};
  basis.bias = layer.bias;
  return basis;
}

}  // namespace krica
