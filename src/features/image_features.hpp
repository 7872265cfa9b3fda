// SPDX-License-Identifier: BSD-3-Clause
//
// ImageFeatures: a learned map from images to features, whatever it is made of. Training,
// prediction and encoding use this interface; what else a kind of map offers is its own.
//
//   FeatureExtractor   local descriptors, encoded and pooled (extractor.hpp)
//   ConvNetwork        the pooled maps of convolutional layers (conv_network.hpp)
#pragma once

#include <functional>

#include "features/pooled_encoder.hpp"
#include "krica/data/image_set.hpp"
#include "krica/features/feature_matrix.hpp"
#include "krica/runtime/library.hpp"

namespace krica {

class KRICA_EXPORT ImageFeatures {
 public:
  virtual ~ImageFeatures() = default;

  [[nodiscard]] virtual ImageShape shape() const = 0;
  [[nodiscard]] virtual Index features() const = 0;

  /// Writes the features to `result` (images × features), from image `first` on, and calls `done`
  /// after each batch with the number of finished images. Runs on the context's threads; the same
  /// bits for any number of them.
  virtual void extract(const Context& context, const ImageSet& images, Index first,
                       FeatureMatrix& result, const std::function<void(Index)>& done) const = 0;

  /// All of them: images × features.
  [[nodiscard]] FeatureMatrix extract(const Context& context, const ImageSet& images) const {
    FeatureMatrix result(context, images.size(), features());
    extract(context, images, 0, result, [](Index) {});
    return result;
  }

 protected:
  ImageFeatures() = default;
  ImageFeatures(const ImageFeatures&) = default;
  ImageFeatures& operator=(const ImageFeatures&) = default;

  /// Throws InvalidArgument unless images and result fit.
  void check(const ImageSet& images, const FeatureMatrix& result) const;
};

/// extract() by an encoder of images in memory: reads `images_at_a_time` images per thread and
/// passes batches of them on. `work` estimates the work of that many images.
void extract_in_batches(const Context& context, const PooledEncoder& encoder,
                        const ImageSet& images, Index images_at_a_time,
                        const std::function<Work(Index)>& work, Index first, FeatureMatrix& result,
                        const std::function<void(Index)>& done);

}  // namespace krica
