// SPDX-License-Identifier: BSD-3-Clause
//
// ImageFeatures: a learned map from images to features, whatever it is made of. Training,
// prediction and encoding use this interface; what else a kind of map offers is its own.
//
//   FeatureExtractor   local descriptors, encoded and pooled (extractor.hpp)
//   ConvNetwork        the pooled maps of convolutional layers (conv_network.hpp)
#pragma once

#include <algorithm>
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
  /// Whether images may have other sizes.
  [[nodiscard]] virtual bool any_size() const { return false; }
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

/// Images of that many values that a thread reads at a time: a few, but one if it is large.
constexpr Index images_at_a_time(Index values) {
  constexpr Index kMost = 4;
  constexpr Index kMostValues = Index{1} << 22;
  return std::clamp<Index>(kMostValues / std::max<Index>(1, values), 1, kMost);
}

/// How images become features, batch by batch.
struct BatchEncoding {
  const PooledEncoder& encoder;
  Index images_at_a_time;                   ///< that a thread reads
  std::function<Work(Index)> work;          ///< of that many images
  std::span<const ImageShape> shapes = {};  ///< one per image, if they differ
  bool unit_length = false;                 ///< scale features to length 1 (unit_length.hpp)
};

/// extract() by an encoder of images in memory: reads batches of them and passes them on.
void extract_in_batches(const Context& context, const ImageSet& images,
                        const BatchEncoding& encoding, Index first, FeatureMatrix& result,
                        const std::function<void(Index)>& done);

}  // namespace krica
