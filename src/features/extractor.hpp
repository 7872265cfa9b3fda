// SPDX-License-Identifier: BSD-3-Clause
//
// Image features: every local descriptor is preprocessed and encoded, and the codes are pooled over
// the cells of the grid (pooling_grid.hpp); pooled codes may be raised to a power. Feature order:
// cell by cell, with the encoder's channels in each. All features of an image may be scaled to
// length 1; images whose features are all 0 keep them. A sample has one descriptor: its features
// are its code.
#pragma once

#include <memory>
#include <vector>

#include "features/image_features.hpp"
#include "features/pooling_grid.hpp"
#include "krica/data/image_set.hpp"
#include "krica/features/encoder.hpp"
#include "krica/features/feature_matrix.hpp"
#include "krica/runtime/library.hpp"
#include "patches/preprocessing.hpp"

namespace krica {

/// Copies share their immutable parts.
class KRICA_EXPORT FeatureExtractor final : public ImageFeatures {
 public:
  /// Throws InvalidArgument if the parts do not fit together: patch size, atoms, grid and image
  /// shape.
  FeatureExtractor(FeatureOptions options, ImageShape shape, Preprocessing preprocessing,
                   Encoder encoder);

  [[nodiscard]] const FeatureOptions& options() const { return options_; }
  /// Of all images; if descriptors allow any size, of the box that held the training images.
  [[nodiscard]] ImageShape shape() const override;
  /// Whether images may have any size, in which their descriptors fit.
  [[nodiscard]] bool any_size() const override;
  [[nodiscard]] const LocalDescriptors& descriptors() const;
  [[nodiscard]] const Preprocessing& preprocessing() const;
  [[nodiscard]] const Encoder& encoder() const { return encoder_; }
  /// For images of shape().
  [[nodiscard]] const PoolingGrid& grid() const;
  [[nodiscard]] PoolingGrid grid_of(const ImageShape& shape) const;
  [[nodiscard]] Index positions() const { return grid().positions(); }
  [[nodiscard]] Index cells() const { return grid().cells(); }
  [[nodiscard]] Index features() const override { return cells() * encoder_.channels(); }

  /// The codes at positions first ... first + codes.rows() - 1 of one planar image, in the order of
  /// its grid. Single-threaded.
  void encode(const float* image, const ImageShape& shape, Index first,
              MatrixView<float> codes) const;
  /// What unit_length divides an image's features by; 1 without it.
  [[nodiscard]] float length_of(const float* features) const;

  using ImageFeatures::extract;
  void extract(const Context& context, const ImageSet& images, Index first, FeatureMatrix& result,
               const std::function<void(Index)>& done) const override;

 private:
  [[nodiscard]] std::vector<ImageShape> own_shapes(const ImageSet& images) const;

  FeatureOptions options_;
  Encoder encoder_;
  std::shared_ptr<const class PatchSource> source_;
  std::shared_ptr<const class PooledEncoder> pooled_;
};

}  // namespace krica
