// SPDX-License-Identifier: BSD-3-Clause
//
// ConvNetwork (features/conv_network.hpp) on a GPU: from whitened images to the pooled maps of all
// its layers, before the power.
#pragma once

#include <memory>
#include <vector>

#include "device/conv_spec.hpp"
#include "device/conv_steps.hpp"
#include "device/products.hpp"

namespace krica::device {

/// The cells of a grid over a layer's map.
struct MapCells {
  std::vector<std::vector<int>> positions = {};  ///< of each cell, row by row in the map
  CellFunction function = CellFunction::kSum;
};

struct ConvEncoderOptions {
  std::vector<ConvLayerSpec> layers = {};  ///< their parameters need not last
  std::vector<MapCells> cells = {};        ///< one for each
  Products products = Products::kTf32;
  int images = 1;  ///< at a time

  /// Of an image: layer by layer, cell by cell, with the groups in each.
  [[nodiscard]] std::size_t features() const;
  /// What an image of a chunk takes on the device, in bytes.
  [[nodiscard]] std::size_t image_bytes() const;
  [[nodiscard]] std::vector<ConvSpec> shapes() const;
};

class ConvEncoder {
 public:
  ConvEncoder() = default;
  ConvEncoder(const ConvEncoder&) = delete;
  ConvEncoder& operator=(const ConvEncoder&) = delete;
  virtual ~ConvEncoder() = default;

  /// The features of at most options.images images; both on the device, without gaps. Queued.
  /// Throws DeviceError (kFailed).
  virtual void encode(const float* whitened, int images, float* features) = 0;
};

/// Throws InvalidArgument for layers and cells that do not fit together, and DeviceError:
/// kNoDevice, kOutOfMemory.
std::unique_ptr<ConvEncoder> make_conv_encoder(const ConvEncoderOptions& options);

/// What the factory checks before it looks for a device.
void require_usable(const ConvEncoderOptions& options);

}  // namespace krica::device
