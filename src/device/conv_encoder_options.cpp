// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "device/conv_encoder.hpp"
#include "runtime/check.hpp"

namespace krica::device {

std::vector<ConvSpec> ConvEncoderOptions::shapes() const {
  std::vector<ConvSpec> shapes;
  for (const ConvLayerSpec& layer : layers) shapes.push_back(layer.shape);
  return shapes;
}

std::size_t ConvEncoderOptions::features() const {
  std::size_t count = 0;
  for (std::size_t l = 0; l < layers.size(); ++l)
    count += cells[l].positions.size() * static_cast<std::size_t>(layers[l].shape.groups);
  return count;
}

std::size_t ConvEncoderOptions::image_bytes() const {
  const auto values = static_cast<std::size_t>(layers.front().shape.values());
  return conv_bytes(shapes()) + (values + features()) * sizeof(float);
}

void require_usable(const ConvEncoderOptions& options) {
  const std::vector<ConvSpec> shapes = options.shapes();
  require_usable(shapes);
  require(options.cells.size() == shapes.size(), "device", "{} grids for {} layers",
          options.cells.size(), shapes.size());
  for (std::size_t l = 0; l < shapes.size(); ++l) {
    const int blocks = shapes[l].blocks();
    for (const std::vector<int>& cell : options.cells[l].positions) {
      require(!cell.empty() && std::all_of(cell.begin(), cell.end(),
                                           [&](int p) { return p >= 0 && p < blocks; }),
              "device", "a cell is empty or reaches beyond a map of {} positions", blocks);
    }
    require(options.images >= 1 &&
                options.images <= std::numeric_limits<int>::max() / shapes[l].units(),
            "device", "{} images of {} units at a time", options.images, shapes[l].units());
  }
}

}  // namespace krica::device
