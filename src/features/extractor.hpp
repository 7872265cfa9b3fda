// SPDX-License-Identifier: BSD-3-Clause
//
// Image features: every local descriptor is preprocessed and encoded, and the codes are pooled over
// the cells of the grid (pooling_grid.hpp); pooled codes may be raised to a power. Feature order:
// cell by cell, with the encoder's channels in each. A sample has one descriptor: its features are
// its code.
#pragma once

#include <memory>

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
  [[nodiscard]] ImageShape shape() const override;
  [[nodiscard]] const Preprocessing& preprocessing() const;
  [[nodiscard]] const Encoder& encoder() const { return encoder_; }
  [[nodiscard]] const PoolingGrid& grid() const;
  [[nodiscard]] Index positions() const { return grid().positions(); }
  [[nodiscard]] Index cells() const { return grid().cells(); }
  [[nodiscard]] Index features() const override { return cells() * encoder_.channels(); }

  /// The codes at positions first ... first + codes.rows() - 1 of one planar image, in the grid's
  /// order. Single-threaded.
  void encode(const float* image, Index first, MatrixView<float> codes) const;

  using ImageFeatures::extract;
  void extract(const Context& context, const ImageSet& images, Index first, FeatureMatrix& result,
               const std::function<void(Index)>& done) const override;

 private:
  FeatureOptions options_;
  Encoder encoder_;
  std::shared_ptr<const class PatchSource> source_;
  std::shared_ptr<const class PooledEncoder> pooled_;
};

}  // namespace krica
