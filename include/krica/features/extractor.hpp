// SPDX-License-Identifier: BSD-3-Clause
//
// Image features: every sub-patch at `stride` is preprocessed and encoded, and the codes are summed
// over the cells of a rows × cols grid. Codes exist for one tile of positions at a time, never for
// an image or a data set.
//
// With P positions along an axis and g cells, cell c holds positions floor(cP/g) ...
// floor((c+1)P/g) - 1 (27 positions in two cells: 13 and 14). Feature order: cell by cell
// (row-major), the encoder's channels in each.
#pragma once

#include <functional>
#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/features/encoder.hpp"
#include "krica/features/feature_matrix.hpp"
#include "krica/patches/preprocessing.hpp"

namespace krica {

struct FeatureOptions {
  Index receptive_field = 6;  ///< side of a patch in pixels, >= 1
  Index stride = 1;           ///< >= 1
  Index pool_rows = 2;        ///< cells of the grid, >= 1 and at most the positions along that side
  Index pool_cols = 2;

  void validate() const;
};

class FeatureExtractor {
 public:
  /// Throws InvalidArgument where the parts do not fit: patch size, atoms, grid and image shape.
  FeatureExtractor(FeatureOptions options, ImageShape shape, Preprocessing preprocessing,
                   Encoder encoder);

  [[nodiscard]] const FeatureOptions& options() const { return options_; }
  [[nodiscard]] ImageShape shape() const { return shape_; }
  [[nodiscard]] const Preprocessing& preprocessing() const { return preprocessing_; }
  [[nodiscard]] const Encoder& encoder() const { return encoder_; }
  [[nodiscard]] Index positions() const { return position_rows_ * position_cols_; }
  [[nodiscard]] Index cells() const { return options_.pool_rows * options_.pool_cols; }
  [[nodiscard]] Index features() const { return cells() * encoder_.channels(); }

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
  void add_tile(const float* image, Index cell_row, Index cell_col, Index first, Index count,
                float* sums) const;

  FeatureOptions options_;
  ImageShape shape_;
  Preprocessing preprocessing_;
  Encoder encoder_;
  Index position_rows_;
  Index position_cols_;
};

}  // namespace krica
