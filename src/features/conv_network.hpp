// SPDX-License-Identifier: BSD-3-Clause
//
// ConvNetwork: images → whitened images → pooled maps of one or more convolutional layers
// (objectives/conv_layer.hpp) → features. The probabilities that blocks are on, K channels per
// layer, are pooled over the cells of a grid as codes are (pooling_grid.hpp); a level with more
// rows or columns than a layer's map has as many as the map. Feature order: layer by layer, cell by
// cell, with the groups in each.
#pragma once

#include <memory>
#include <vector>

#include "features/feature_options.hpp"
#include "features/image_features.hpp"
#include "objectives/conv_layer.hpp"
#include "patches/image_whitening.hpp"

namespace krica {

/// Copies share their immutable parts.
class KRICA_EXPORT ConvNetwork final : public ImageFeatures {
 public:
  /// The options' descriptors do not matter. Throws InvalidArgument if there are no layers or they
  /// do not fit together and the images.
  ConvNetwork(const ImageShape& shape, ImageWhitening whitening,
              std::vector<ConvLayer<float>> layers, const FeatureOptions& options);

  [[nodiscard]] ImageShape shape() const override;
  [[nodiscard]] Index features() const override;
  [[nodiscard]] const ImageWhitening& whitening() const;
  [[nodiscard]] const std::vector<ConvLayer<float>>& layers() const;

  using ImageFeatures::extract;
  void extract(const Context& context, const ImageSet& images, Index first, FeatureMatrix& result,
               const std::function<void(Index)>& done) const override;

  /// The whitening, and per layer the tensors "network.weights.1", "network.bias.1", ...
  void save(Archive& archive) const;
  /// Throws DataError or InvalidArgument for tensors that do not fit.
  static ConvNetwork load(const Archive& archive, const ImageShape& shape,
                          std::span<const ConvShape> layers, const FeatureOptions& options);

 private:
  struct Implementation;
  std::shared_ptr<const Implementation> implementation_;
};

/// Features per image of such a network; throws like its constructor.
Index network_features(std::span<const ConvShape> layers, const PoolingOptions& pooling);

/// One layer in an archive, by its number from 1.
void save_layer(Archive& archive, const ConvLayer<float>& layer, std::size_t number);
ConvLayer<float> load_layer(const Archive& archive, const ConvShape& shape, std::size_t number);

}  // namespace krica
