// SPDX-License-Identifier: BSD-3-Clause
#include "models/model_limits.hpp"

#include "models/method_defaults.hpp"
#include "models/parts.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "model";

/// Whether a · b <= `most`, for a and b of at least 1; cannot overflow.
bool product_within(Index a, Index b, Index most) { return a <= most && b <= most / a; }

void check_shape(const ImageShape& shape) {
  const bool positive = shape.height >= 1 && shape.width >= 1 && shape.channels >= 1;
  require(positive && product_within(shape.height, shape.width, kMostModelPixels) &&
              product_within(shape.pixels(), shape.channels, kMostModelValues),
          kName, "images of {} x {} x {} values; at most {} pixels and {} values are allowed",
          shape.height, shape.width, shape.channels, kMostModelPixels, kMostModelValues);
}

}  // namespace

void check_model_size(const ImageShape& shape, const PipelineOptions& options, Index atoms) {
  check_shape(shape);
  if (atoms == 0) {
    return require(shape.values() <= kMostFeatures, kName,
                   "raw pixels make {} features; at most {} are allowed", shape.values(),
                   kMostFeatures);
  }
  const PoolLevels levels = pool_levels_of(options);
  levels.validate();
  const EncoderOptions encoder = encoder_of(options);
  encoder.validate();
  const Index channels = channels_of(encoder, std::min(atoms, kMostFeatures));
  require(product_within(levels.cells(), channels, kMostFeatures), kName,
          "{} atoms in a grid of {} make more than {} features", atoms, levels.text(),
          kMostFeatures);
  const bool gram = is_lasso(encoder.kind) || is_omp(encoder.kind);
  require(!gram || atoms <= kMostLassoAtoms, kName, "codes by {} allow at most {} atoms, got {}",
          name_of(encoder.kind), kMostLassoAtoms, atoms);
}

void check_network_size(const ImageShape& shape, const PipelineOptions& options) {
  check_shape(shape);
  const PoolLevels levels = pool_levels_of(options);
  levels.validate();
  for (const ConvShape& layer : conv_layers_of(options, shape)) {
    layer.validate();
    require(product_within(layer.blocks(), layer.groups, kMostModelValues) &&
                product_within(levels.cells(), layer.groups, kMostFeatures),
            kName, "{} groups in maps of {} x {} blocks are more than {} values or {} features",
            layer.groups, layer.pooled().height, layer.pooled().width, kMostModelValues,
            kMostFeatures);
  }
}

}  // namespace krica
