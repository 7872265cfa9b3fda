// SPDX-License-Identifier: BSD-3-Clause
#include "bases/conv_dbn.hpp"

#include <cmath>
#include <utility>

#include "bases/start.hpp"
#include "objectives/conv_rbm.hpp"
#include "objectives/packed_layer.hpp"

namespace krica {
namespace {

constexpr double kStartLength = 0.1;  // of a filter

/// Random filters, and biases that make a unit as active as the target if its filter says nothing.
Matrix<float> start_of(const Context& context, const ConvShape& shape, Index layer, double target) {
  Matrix<float> filters(shape.groups, shape.window());
  const double deviation = kStartLength / std::sqrt(static_cast<double>(shape.window()));
  for (Index k = 0; k < shape.groups; ++k) {
    Random random = context.random("conv_rbm.start", static_cast<std::uint64_t>(layer << 32 | k));
    for (Index j = 0; j < shape.window(); ++j)
      filters(k, j) = static_cast<float>(deviation * random.normal());
  }
  // exp(b) / (1 + 4 exp(b)) = ρ; a block has at most one active unit, so ρ stays below 1/4.
  const double reached = std::min(target, 0.9 / kBlockUnits);
  const double bias = std::log(reached / (1 - kBlockUnits * reached));
  return packed_layer<float>(filters, static_cast<float>(bias), false);
}

}  // namespace

Basis learn_conv_layer(const Context& context, const BasisRequest& request,
                       std::span<const ConvLayer<float>> below, const ConvShape& shape) {
  BasisRequest by_adam = request;
  by_adam.options.solver = SolverKind::kAdam;
  ConvRbmObjective<float> objective(
      context, request.patches, below,
      {.shape = shape,
       .visible = below.empty() ? VisibleUnits::kGaussian : VisibleUnits::kBinary,
       .sparsity = request.options.sparsity,
       .sparsity_target = request.options.sparsity_target});
  Basis packed = minimised(context, objective, by_adam, [&] {
    return start_of(context, shape, std::ssize(below), request.options.sparsity_target);
  });
  const PackedLayer<float> layer(packed.atoms, shape.window());
  Basis basis{Matrix<float>::copy_of(layer.weights), std::move(packed.history), packed.status};
  basis.bias = layer.bias;
  return basis;
}

}  // namespace krica
