// SPDX-License-Identifier: BSD-3-Clause
//
// Image features: every sub-patch at `stride` is preprocessed and encoded, and the codes are summed
// over the cells of a rows × cols grid. Codes are summed as they are computed, in registers where
// the encoder allows it, else a tile of positions at a time; they are never held for an image.
//
// The grid, plain or overlapping, is pooling_grid.hpp's; pooled codes may be raised to a power.
// Feature order: cell by cell (row-major), the encoder's channels in each.
//
// A sample is an image of one pixel (krica/data/views.hpp): its features are its code.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/features/encoder.hpp"
#include "krica/features/feature_matrix.hpp"
#include "krica/features/pooling_grid.hpp"
#include "krica/patches/preprocessing.hpp"

namespace krica {

class FeatureExtractor {
 public:
  /// Throws InvalidArgument where the parts do not fit: patch size, atoms, grid and image shape.
  FeatureExtractor(FeatureOptions options, ImageShape shape, Preprocessing preprocessing,
                   Encoder encoder);

  [[nodiscard]] const FeatureOptions& options() const { return options_; }
  [[nodiscard]] ImageShape shape() const { return shape_; }
  [[nodiscard]] const Preprocessing& preprocessing() const { return preprocessing_; }
  [[nodiscard]] const Encoder& encoder() const { return encoder_; }
  [[nodiscard]] const PoolingGrid& grid() const { return grid_; }
  [[nodiscard]] Index positions() const { return grid_.positions(); }
  [[nodiscard]] Index cells() const { return grid_.cells(); }
  [[nodiscard]] Index features() const { return cells() * encoder_.channels(); }

  /// The codes at positions first ... first + codes.rows() - 1 of one planar image, in the grid's
  /// order. One thread.
  void encode(const float* image, Index first, MatrixView<float> codes) const;

  /// The features of one planar image. One thread.
  void extract(const float* image, float* features) const;

  /// Images × features, image by image on the context's threads. The same bits for any number of
  /// threads.
  [[nodiscard]] FeatureMatrix extract(const Context& context, const ImageSet& images) const;

  /// The same into `result` (images × features), from image `first` on; after every round of images
  /// `done` is called with the number that is finished.
  void extract(const Context& context, const ImageSet& images, Index first, FeatureMatrix& result,
               const std::function<void(Index)>& done) const;

 private:
  void add_fused(const float* image, struct Range tile, Matrix<float>& sums) const;
  void add_codes(const float* image, struct Range tile, Matrix<float>& sums) const;
  [[nodiscard]] struct Work work_on(Index count) const;
  void extract_single(const float* images, Index count, float* features) const;

  FeatureOptions options_;
  ImageShape shape_;
  Preprocessing preprocessing_;
  Encoder encoder_;
  PoolingGrid grid_;
  std::shared_ptr<const class FusedPooling> fused_;  // null where the encoder has no fused form
};

}  // namespace krica
