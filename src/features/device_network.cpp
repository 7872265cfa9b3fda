// SPDX-License-Identifier: BSD-3-Clause
#include "features/device_network.hpp"

#include <algorithm>

#include "device/device_memory.hpp"
#include "device/pool_power.hpp"
#include "device/use_device.hpp"
#include "krica/runtime/error.hpp"
#include "objectives/conv_device.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr Index kImagesAtATime = 16;  // read and whitened by one thread

device::CellFunction cell_function(PoolFunction function) {
  if (function == PoolFunction::kMax) return device::CellFunction::kMax;
  return function == PoolFunction::kMean ? device::CellFunction::kMean : device::CellFunction::kSum;
}

device::MapCells map_cells(const PoolingGrid& grid) {
  device::MapCells cells;
  cells.function = cell_function(grid.function());
  cells.positions.resize(static_cast<std::size_t>(grid.cells()));
  for (Index p = 0; p < grid.positions();) {
    const PoolingGrid::Run run = grid.run_at(p);
    for (const Index cell : grid.cells_of(run.zone)) {
      for (Index i = 0; i < run.count; ++i) {
        cells.positions[static_cast<std::size_t>(cell)].push_back(
            static_cast<int>(run.row * grid.position_cols() + run.col + i));
      }
    }
    p += run.count;
  }
  return cells;
}

class NetworkEncoder final : public DeviceEncoder {
 public:
  NetworkEncoder(const NetworkParts& network, device::ConvEncoderOptions options, int images)
      : network_(network), options_(std::move(options)) {
    make(images);
  }

  [[nodiscard]] Index chunk() const override { return options_.images; }

  void encode(const Context& context, const ImageSet& images, Range range,
              MatrixView<float> features) override {
    device::use_device(context);
    require(features.outerStride() == features.cols() && features.rows() == range.size(),
            "features", "{} rows for {} images", features.rows(), range.size());
    const Matrix<float> whitened = whiten(context, images, range);
    for (Index done = 0; done < range.size();) {
      const Index count = std::min(chunk(), range.size() - done);
      if (encode_chunk(whitened.row(done), count, features.rows_between(done, done + count)))
        done += count;
    }
  }

 private:
  void make(int images) {
    encoder_.reset();  // before its successor needs the memory
    options_.images = images;
    encoder_ = device::make_conv_encoder(options_);
  }

  [[nodiscard]] Matrix<float> whiten(const Context& context, const ImageSet& images,
                                     Range range) const {
    const ImageShape& shape = network_.shape;
    Matrix<float> whitened(range.size(), shape.values());
    const Partition blocks(range.size(), kImagesAtATime);
    parallel_for(context, blocks.count(), [&](Index b) {
      const Range block = blocks[b];
      Matrix<float> pixels(block.size(), shape.values());
      images.read(range.begin + block.begin, block.size(), pixels.data());
      for (Index i = 0; i < block.size(); ++i)
        network_.whitening.apply(shape, pixels.row(i), whitened.row(block.begin + i));
    });
    return whitened;
  }

  /// False if the device's memory was too small, and there are smaller chunks to try.
  bool encode_chunk(const float* whitened, Index count, MatrixView<float> features) {
    const std::size_t size = options_.features() * static_cast<std::size_t>(count);
    const auto values = static_cast<std::size_t>(network_.shape.values() * count);
    try {
      on_device_.fit(values);
      features_.fit(size);
      device::copy(on_device_.data(), whitened, values * sizeof(float));
      encoder_->encode(on_device_.data(), static_cast<int>(count), features_.data());
      device::raise_to_power(network_.power, features_.data(), size);
      device::copy(features.data(), features_.data(), size * sizeof(float));
      return true;
    } catch (const DeviceError& error) {
      if (error.trouble() != DeviceError::Trouble::kOutOfMemory || options_.images == 1) throw;
      on_device_ = {};
      features_ = {};
      make(options_.images / 2);
      return false;
    }
  }

  NetworkParts network_;
  device::ConvEncoderOptions options_;
  std::unique_ptr<device::ConvEncoder> encoder_;
  device::DeviceArray<float> on_device_;
  device::DeviceArray<float> features_;
};

/// As many images at a time as are usual and fit the budget; 0: not even one.
int images_that_fit(const device::ConvEncoderOptions& options, std::size_t budget) {
  const auto fit = static_cast<std::size_t>(budget / options.image_bytes());
  const int usual = device::usual_images(options.shapes(), 1);
  return static_cast<int>(std::min(fit, static_cast<std::size_t>(usual)));
}

}  // namespace

std::optional<device::ConvEncoderOptions> network_options(std::span<const ConvLayer<float>> layers,
                                                          std::span<const PoolingGrid> grids) {
  device::ConvEncoderOptions options;
  for (const ConvLayer<float>& layer : layers) {
    const auto spec = device_layer(layer);
    if (!spec) return std::nullopt;
    options.layers.push_back(*spec);
  }
  for (const PoolingGrid& grid : grids) options.cells.push_back(map_cells(grid));
  return options;
}

std::unique_ptr<DeviceEncoder> device_network(const Context& context, const NetworkParts& network) {
  if (!context.cuda_device()) return nullptr;
  device::use_device(context);
  auto options = network_options(network.layers, network.grids);
  if (!options) return nullptr;
  int images = images_that_fit(*options, device::memory_budget(context));
  for (; images > 0; images /= 2) {
    try {
      return std::make_unique<NetworkEncoder>(network, *options, images);
    } catch (const DeviceError& error) {
      if (error.trouble() != DeviceError::Trouble::kOutOfMemory) throw;
    }
  }
  return nullptr;
}

}  // namespace krica
