// SPDX-License-Identifier: BSD-3-Clause
#include "bases/conv_dbn.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bases/start.hpp"
#include "objectives/conv_rbm.hpp"
#include "objectives/packed_layer.hpp"

namespace krica {
namespace {

constexpr double kStartLength = 0.1;  // of a filter

/// The visible biases with which the mean of a map without hidden units is that of the data.
std::vector<float> visible_start(const std::vector<double>& means, VisibleUnits visible) {
  constexpr double kLeast = 1e-3;
  std::vector<float> biases;
  for (const double mean : means) {
    const double p = std::clamp(mean, kLeast, 1 - kLeast);
    biases.push_back(
        static_cast<float>(visible == VisibleUnits::kBinary ? std::log(p / (1 - p)) : mean));
  }
  return biases;
}

/// Random filters, and biases that make a unit as active as the target if its filter says nothing.
Matrix<float> start_of(const Context& context, const ConvShape& shape, Index layer, double target,
                       const std::vector<float>& visible) {
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
  Matrix<float> packed = packed_layer<float>(filters, static_cast<float>(bias), false);
  std::copy(visible.begin(), visible.end(), packed.row(shape.groups));
  return packed;
}

/// The biases of units that read v instead of v - μ: b_k - w_k·μ.
std::vector<float> uncentred_bias(const PackedLayer<float>& layer,
                                  const std::vector<double>& mean) {
  const Index values = layer.weights.cols() / std::ssize(mean);  // of a window, per channel
  std::vector<float> bias;
  for (Index k = 0; k < layer.weights.rows(); ++k) {
    double shift = 0;
    for (std::size_t c = 0; c < mean.size(); ++c) {
      const float* w = layer.weights.data() + k * layer.weights.outerStride();
      shift += mean[c] * ordered_sum(w + static_cast<Index>(c) * values, values);
    }
    bias.push_back(
        static_cast<float>(static_cast<double>(layer.bias[static_cast<std::size_t>(k)]) - shift));
  }
  return bias;
}

}  // namespace

Basis learn_conv_layer(const Context& context, const BasisRequest& request,
                       std::span<const ConvLayer<float>> below, const ConvShape& shape) {
  BasisRequest by_adam = request;
  by_adam.options.solver = SolverKind::kAdam;
  const VisibleUnits visible = below.empty() ? VisibleUnits::kGaussian : VisibleUnits::kBinary;
  ConvRbmObjective<float> objective(context, request.patches, below,
                                    {.shape = shape,
                                     .visible = visible,
                                     .sparsity = request.options.sparsity,
                                     .sparsity_target = request.options.sparsity_target});
  Basis packed = minimised(context, objective, by_adam, [&] {
    return start_of(context, shape, std::ssize(below), request.options.sparsity_target,
                    visible_start(objective.moments().mean, visible));
  });
  const PackedLayer<float> layer(packed.atoms, shape.window());
  Basis basis{Matrix<float>::copy_of(layer.weights), std::move(packed.history), packed.status};
  basis.bias = uncentred_bias(layer, objective.moments().mean);
  return basis;
}

}  // namespace krica
