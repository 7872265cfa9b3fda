// SPDX-License-Identifier: BSD-3-Clause
#include "device/conv_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "device/conv_steps.hpp"
#include "device/conv_twin.hpp"
#include "device/device_error.hpp"
#include "runtime/check.hpp"

namespace krica::device {

void require_usable(std::span<const ConvSpec> layers) {
  require(!layers.empty(), "device", "no convolutional layers");
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const ConvSpec& layer = layers[l];
    require(layer.channels >= 1 && layer.field >= 1 && layer.groups >= 1 &&
                layer.field < layer.height && layer.field < layer.width,
            "device",
            "a convolutional layer of {} groups with fields of {} on maps of {} x {} x {}",
            layer.groups, layer.field, layer.height, layer.width, layer.channels);
    if (l == 0) continue;
    const ConvSpec& below = layers[l - 1];
    require(layer.channels == below.groups && layer.height == below.block_rows() &&
                layer.width == below.block_cols(),
            "device", "a layer on maps of {} x {} x {} does not fit maps of {} x {} x {}",
            layer.height, layer.width, layer.channels, below.block_rows(), below.block_cols(),
            below.groups);
  }
}

std::size_t conv_bytes(std::span<const ConvSpec> layers) {
  std::size_t windows = 0;
  std::size_t units = 0;
  std::size_t maps = 0;
  for (const ConvSpec& layer : layers) {
    const auto rows = static_cast<std::size_t>(layer.units());
    windows = std::max(windows, rows * static_cast<std::size_t>(layer.window_stride()));
    units = std::max(units, rows * static_cast<std::size_t>(layer.unit_stride()));
    maps += static_cast<std::size_t>(layer.pooled());
  }
  return (windows + units + maps) * sizeof(float);
}

int usual_images(std::span<const ConvSpec> layers, int fewest) {
  constexpr std::int64_t kWindows = std::int64_t{1} << 26;
  constexpr std::int64_t kMost = 4096;
  std::int64_t images = kMost;
  std::int64_t numbered = kMost;
  for (const ConvSpec& layer : layers) {
    const std::int64_t units = layer.units();
    images = std::min(images, kWindows / (units * layer.window_stride()));
    numbered = std::min(numbered, std::numeric_limits<int>::max() / units);
  }
  if (numbered < fewest) {
    throw DeviceError(
        Trouble::kOutOfMemory,
        fmt::format("[device] the units of {} such images cannot be numbered", fewest));
  }
  return static_cast<int>(std::clamp<std::int64_t>(images, fewest, numbered));
}

namespace {

std::vector<ConvSpec> shapes_of(const ConvMachineSpec& machine) {
  std::vector<ConvSpec> shapes;
  for (const ConvLayerSpec& layer : machine.below) shapes.push_back(layer.shape);
  shapes.push_back(machine.shape);
  return shapes;
}

}  // namespace

void require_usable(const TwinSamples& images, const ConvTwinOptions& options) {
  const ConvMachineSpec& machine = options.machine;
  const std::vector<ConvSpec> shapes = shapes_of(machine);
  require_usable(shapes);
  require_usable(images, machine.shape.groups);
  require(images.n == shapes.front().values(), "device", "images of {} values for maps of {}",
          images.n, shapes.front().values());
  require(static_cast<int>(machine.mean.size()) == machine.shape.channels && machine.variance > 0,
          "device", "{} means and the variance {} for {} channels", machine.mean.size(),
          machine.variance, machine.shape.channels);
  require(options.images_at_a_time >= 0, "device", "images_at_a_time must be >= 0, got {}",
          options.images_at_a_time);
}

int conv_images_that_fit(const TwinSamples& images, const ConvTwinOptions& options,
                         TwinMemory memory) {
  constexpr int kFewest = 8;
  const std::vector<ConvSpec> shapes = shapes_of(options.machine);
  const ConvSpec& top = options.machine.shape;
  for (const ConvSpec& shape : shapes) {
    memory.fixed += static_cast<std::size_t>(shape.unit_stride()) *
                    static_cast<std::size_t>(shape.window_stride()) * sizeof(float);
  }
  memory.fixed += static_cast<std::size_t>(std::max(top.groups, 3 * top.channels)) *
                  (kConvParts + kFoldedParts) * sizeof(double);
  memory.per_row += conv_bytes(shapes) + static_cast<std::size_t>(top.values()) * sizeof(float);
  const int usual = usual_images(shapes, kFewest) / kFewest * kFewest;  // filling up adds nothing
  const int most = options.images_at_a_time > 0 ? std::min(options.images_at_a_time, usual) : usual;
  return block_rows_that_fit(memory, options.memory_bytes, most, images.count, kFewest);
}

}  // namespace krica::device
