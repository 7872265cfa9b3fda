// SPDX-License-Identifier: BSD-3-Clause
#include "features/conv_network.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "features/device_network.hpp"
#include "features/pool_map.hpp"
#include "features/pool_power.hpp"
#include "features/pooling_grid.hpp"
#include "runtime/check.hpp"
#include "runtime/finite_tensors.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "network";

/// The levels, none of them finer than the map.
PoolingGrid grid_of(const ConvShape& layer, PoolingOptions pooling) {
  const ImageShape map = layer.pooled();
  std::vector<PoolLevel> levels;
  for (const PoolLevel& wanted : pooling.levels.levels) {
    const PoolLevel level{std::min(wanted.rows, map.height), std::min(wanted.cols, map.width)};
    if (std::find(levels.begin(), levels.end(), level) == levels.end()) levels.push_back(level);
  }
  pooling.levels.levels = std::move(levels);
  return {pooling, {map.height, map.width}};
}

void require_layers(const ImageShape& shape, std::span<const ConvLayer<float>> layers) {
  require(!layers.empty(), kName, "a network needs at least one layer");
  ImageShape below = shape;
  for (const ConvLayer<float>& layer : layers) {
    require(layer.shape().input == below, kName,
            "a layer on maps of {} x {} x {} does not fit maps of {} x {} x {}",
            layer.shape().input.height, layer.shape().input.width, layer.shape().input.channels,
            below.height, below.width, below.channels);
    below = layer.shape().pooled();
  }
}

std::string weights_name(std::size_t number) { return fmt::format("network.weights.{}", number); }
std::string bias_name(std::size_t number) { return fmt::format("network.bias.{}", number); }

}  // namespace

void pool_map(const PoolingGrid& grid, const ImageShape& map, const float* planar, float* cells) {
  const Index K = map.channels;
  Matrix<float> zones(grid.zones(), K);
  std::vector<float> code(static_cast<std::size_t>(K));
  grid.clear<float>(zones);
  for (Index p = 0; p < grid.positions();) {
    const PoolingGrid::Run run = grid.run_at(p);
    for (Index i = 0; i < run.count; ++i) {
      const float* at = planar + run.row * map.width + run.col + i;
      for (Index k = 0; k < K; ++k) code[static_cast<std::size_t>(k)] = at[k * map.pixels()];
      grid.gather(code.data(), zones.row(run.zone), K);
    }
    p += run.count;
  }
  grid.pool<float>(zones, cells);
}

struct ConvNetwork::Implementation final : PooledEncoder {
  ImageShape shape;
  ImageWhitening whitening;
  std::vector<ConvLayer<float>> layers;
  std::vector<PoolingGrid> grids;
  double power;
  bool unit_length;
  Index features = 0;

  Implementation(const ImageShape& images, ImageWhitening white,
                 std::vector<ConvLayer<float>> learned, const FeatureOptions& options)
      : shape(images),
        whitening(std::move(white)),
        layers(std::move(learned)),
        power(options.pooling.power),
        unit_length(options.unit_length) {
    require_layers(shape, layers);
    for (const ConvLayer<float>& layer : layers) {
      grids.push_back(grid_of(layer.shape(), options.pooling));
      features += grids.back().cells() * layer.shape().groups;
    }
  }

  void encode(const Context& context, ConstMatrixView<float> images,
              std::span<const ImageShape> /*shapes*/,
              MatrixView<float> all_features) const override {
    parallel_for(context, images.rows(), [&](Index i) {
      encode_image(images.data() + i * images.outerStride(),
                   all_features.data() + i * all_features.outerStride());
    });
  }

  void encode_image(const float* image, float* to) const {
    std::vector<float> below(static_cast<std::size_t>(shape.values()));
    std::vector<float> above;
    whitening.apply(shape, image, below.data());
    float* at = to;
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const ImageShape map = layers[l].shape().pooled();
      above.resize(static_cast<std::size_t>(map.values()));
      layers[l].apply(below.data(), above.data());
      pool_map(grids[l], map, above.data(), at);
      at += grids[l].cells() * map.channels;
      std::swap(below, above);
    }
    raise_to_power<float>(power, to, nullptr, features);
  }
};

ConvNetwork::ConvNetwork(const ImageShape& shape, ImageWhitening whitening,
                         std::vector<ConvLayer<float>> layers, const FeatureOptions& options)
    : implementation_(std::make_shared<const Implementation>(shape, std::move(whitening),
                                                             std::move(layers), options)) {}

ImageShape ConvNetwork::shape() const { return implementation_->shape; }
Index ConvNetwork::features() const { return implementation_->features; }
const ImageWhitening& ConvNetwork::whitening() const { return implementation_->whitening; }
const std::vector<ConvLayer<float>>& ConvNetwork::layers() const { return implementation_->layers; }

void ConvNetwork::extract(const Context& context, const ImageSet& images, Index first,
                          FeatureMatrix& result, const std::function<void(Index)>& done) const {
  check(images, result);
  const Implementation& own = *implementation_;
  if (const auto on_device =
          device_network(context, {own.shape, own.whitening, own.layers, own.grids, own.power}))
    return extract_on_device(context, *on_device, images, first, own.unit_length, result, done);
  extract_in_batches(context, images,
                     {.encoder = own,
                      .images_at_a_time = images_at_a_time(images.shape().values()),
                      .work = [](Index) { return Work{}; },
                      .unit_length = own.unit_length},
                     first, result, done);
}

void ConvNetwork::save(Archive& archive) const {
  whitening().save(archive);
  for (std::size_t l = 0; l < layers().size(); ++l) save_layer(archive, layers()[l], l + 1);
}

ConvNetwork ConvNetwork::load(const Archive& archive, const ImageShape& shape,
                              std::span<const ConvShape> layers, const FeatureOptions& options) {
  std::vector<ConvLayer<float>> loaded;
  for (std::size_t l = 0; l < layers.size(); ++l)
    loaded.push_back(load_layer(archive, layers[l], l + 1));
  return {shape, ImageWhitening::load(archive, shape.channels), std::move(loaded), options};
}

Index network_features(std::span<const ConvShape> layers, const PoolingOptions& pooling) {
  Index features = 0;
  for (const ConvShape& layer : layers) {
    layer.validate();
    features += grid_of(layer, pooling).cells() * layer.groups;
  }
  return features;
}

void save_layer(Archive& archive, const ConvLayer<float>& layer, std::size_t number) {
  archive.put(weights_name(number), layer.weights());
  archive.put_vector<float>(bias_name(number), layer.bias());
}

ConvLayer<float> load_layer(const Archive& archive, const ConvShape& shape, std::size_t number) {
  return {shape, finite_matrix<float>(archive, weights_name(number)),
          finite_vector<float>(archive, bias_name(number))};
}

}  // namespace krica
