// SPDX-License-Identifier: BSD-3-Clause
//
// A convolutional layer with probabilistic max pooling, as in objectives/conv_layer.hpp, for a
// device. Maps are planar. Units are numbered block by block, four to a block, and so are the rows
// of a matrix of windows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/host_device.hpp"
#include "device/twin_samples.hpp"

namespace krica::device {

inline constexpr int kBlockSide = 2;
inline constexpr int kUnitsOfBlock = kBlockSide * kBlockSide;

struct ConvSpec {
  int channels = 0;  ///< of the map below
  int height = 0;
  int width = 0;
  int field = 0;   ///< f
  int groups = 0;  ///< K

  [[nodiscard]] KRICA_HOST_DEVICE int pixels() const { return height * width; }
  [[nodiscard]] KRICA_HOST_DEVICE int values() const { return channels * pixels(); }
  [[nodiscard]] KRICA_HOST_DEVICE int window() const { return channels * field * field; }
  [[nodiscard]] KRICA_HOST_DEVICE int block_rows() const {
    return (height - field + 1) / kBlockSide;
  }
  [[nodiscard]] KRICA_HOST_DEVICE int block_cols() const {
    return (width - field + 1) / kBlockSide;
  }
  [[nodiscard]] KRICA_HOST_DEVICE int blocks() const { return block_rows() * block_cols(); }
  [[nodiscard]] KRICA_HOST_DEVICE int units() const { return blocks() * kUnitsOfBlock; }
  /// The values of the pooled map.
  [[nodiscard]] KRICA_HOST_DEVICE int pooled() const { return groups * blocks(); }
  /// Of rows of windows and of units.
  [[nodiscard]] int window_stride() const { return filled_up(window()); }
  [[nodiscard]] int unit_stride() const { return filled_up(groups); }
};

/// A learned layer, on the host.
struct ConvLayerSpec {
  ConvSpec shape;
  const float* weights = nullptr;  ///< K × window
  const float* bias = nullptr;     ///< K
};

/// Throws InvalidArgument unless each layer has a block and reads the map of the one before.
void require_usable(std::span<const ConvSpec> layers);

/// The bytes that the windows, units and maps of these layers take for each image.
std::size_t conv_bytes(std::span<const ConvSpec> layers);

/// Images whose windows take about 256 MiB, and whose units an int can number. Throws DeviceError
/// (kOutOfMemory) if it cannot number those of `fewest` images.
int usual_images(std::span<const ConvSpec> layers, int fewest);

}  // namespace krica::device
