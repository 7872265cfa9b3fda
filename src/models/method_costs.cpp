// SPDX-License-Identifier: BSD-3-Clause
#include "models/method_costs.hpp"

#include "features/conv_network.hpp"
#include "models/method_defaults.hpp"
#include "models/parts.hpp"
#include "models/rules.hpp"

namespace krica {
namespace {

Cost products(double count) { return {.products = count}; }
Cost loops(double count) { return {.loops = count}; }

double as_double(Index value) { return static_cast<double>(value); }

/// Of one image.
Cost image_whitening_cost(const TrainingSizes& s) {
  const double side = as_double(ImageWhitening::kLongestSide);
  return loops(2 * s.values * side * side);
}

/// One image through a layer, from its windows to probabilities.
Cost layer_cost(const ConvShape& layer) {
  const double windows = as_double(layer.units() * layer.window());
  return products(2 * windows * as_double(layer.groups)) +
         loops(windows + 10 * as_double(layer.units() * layer.groups));
}

}  // namespace

double features_per_image(const TrainingSizes& s) {
  if (s.method.network)
    return as_double(network_features(s.layers, features_of(s.options).pooling));
  if (s.method.learn == nullptr) return s.values;
  const Index channels = channels_of(encoder_of(s.options), static_cast<Index>(s.atoms));
  return as_double(pool_levels_of(s.options).cells() * channels);
}

/// Loops over one patch: the smallest distances, then the neighbours' products and directions.
Cost local_code_cost(const TrainingSizes& s) {
  const EncoderOptions encoder = encoder_of(s.options);
  if (!is_local(encoder.kind)) return {};
  const double k = as_double(encoder.neighbours);
  const double d = encoder.kind == EncoderKind::kTangents ? as_double(encoder.tangents) : 0;
  return loops(2 * s.atoms + k * s.outputs * (k / 2 + d + 1) + k * k * k);
}

/// The codes of the patches, and a PCA for every atom.
Cost tangents_cost(const TrainingSizes& s) {
  const EncoderOptions encoder = encoder_of(s.options);
  if (encoder.kind != EncoderKind::kTangents) return {};
  constexpr double kWideProducts = 2;  // in double precision
  const double k = as_double(encoder.neighbours);
  const double n = s.outputs;
  const double eigen_products = s.atoms * kEigenProducts * n * n * n;
  return products(2 * s.patches * n * (s.atoms + kWideProducts * k * n / 2) + eigen_products) +
         local_code_cost(s) * s.patches;
}

/// An image passes through a layer five times in a step: twice up, once down, and twice for the
/// gradient.
Cost network_cost(const TrainingSizes& s) {
  constexpr double kPasses = 5;
  const double epochs = as_double(s.options.basis.epochs.value_or(kEpochs));
  Cost below;
  Cost step;
  for (const ConvShape& layer : s.layers) {
    step = step + below + layer_cost(layer) * kPasses;
    below = below + layer_cost(layer);
  }
  return image_whitening_cost(s) * s.images + step * (s.images * epochs);
}

Cost network_encoding_cost(const TrainingSizes& s) {
  Cost cost = image_whitening_cost(s);
  for (const ConvShape& layer : s.layers) cost = cost + layer_cost(layer);
  return cost;
}

}  // namespace krica
