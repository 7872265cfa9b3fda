// SPDX-License-Identifier: BSD-3-Clause
//
// The features of convolutional networks on the context's GPU (device/conv_encoder.hpp). Images are
// whitened on the CPU and travel there in chunks that fit; the features come back.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "device/conv_encoder.hpp"
#include "features/device_encoder.hpp"
#include "features/pooling_grid.hpp"
#include "objectives/conv_layer.hpp"
#include "patches/image_whitening.hpp"

namespace krica {

/// Layers, and a grid for each, as the device wants them; points into the layers. None if an int
/// cannot count the values of a layer.
std::optional<device::ConvEncoderOptions> network_options(std::span<const ConvLayer<float>> layers,
                                                          std::span<const PoolingGrid> grids);

/// What makes a network's features; all of it must last.
struct NetworkParts {
  const ImageShape& shape;
  const ImageWhitening& whitening;
  std::span<const ConvLayer<float>> layers;
  std::span<const PoolingGrid> grids;  ///< one per layer
  double power = 1;
};

/// Null if the context has no device, or not even one image fits its memory. Throws DeviceError.
std::unique_ptr<DeviceEncoder> device_network(const Context& context, const NetworkParts& network);

}  // namespace krica
