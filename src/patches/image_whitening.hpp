// SPDX-License-Identifier: BSD-3-Clause
//
// Whole images, whitened by a convolution and normalised in contrast:
//
//   y_c(p) = f_c·x[p] - o_c            x[p]: the s × s window around pixel p; borders are repeated
//   y ← y / sqrt(mean(y²) + 0.01)      optional, over the whole image
//
// f_c is the row of the ZCA matrix of s × s patches (whitening.hpp) that gives the central pixel of
// channel c: what whitens a patch there, applied at every pixel. It is learned from the images and
// resembles the fixed filter of B. Olshausen and D. Field (Vision Research, 1997) that whitens the
// 1/f spectrum of photographs. Without whitening s is 1, and every channel has variance 1.
#pragma once

#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/runtime/archive.hpp"
#include "krica/runtime/context.hpp"

namespace krica {

struct ImageWhiteningOptions {
  bool whiten = true;
  double epsilon = 0.1;  ///< added to the variances, as a fraction of their mean; >= 0
  bool contrast = true;
};

class ImageWhitening {
 public:
  /// Throws InvalidArgument for images that are all equal.
  static ImageWhitening fit(const Context& context, const ImageSet& images,
                            const ImageWhiteningOptions& options);

  [[nodiscard]] Index side() const { return side_; }  ///< s

  /// One planar image. Single-threaded.
  void apply(const ImageShape& shape, const float* image, float* whitened) const;

  /// The tensors "network.whitening" and "network.offset", and the text "network_contrast".
  void save(Archive& archive) const;
  /// Throws DataError for tensors that do not fit images of `channels` channels.
  static ImageWhitening load(const Archive& archive, Index channels);

  /// The longest side of a window.
  static constexpr Index kLongestSide = 9;

 private:
  ImageWhitening(Matrix<float> filters, std::vector<float> offset, bool contrast, Index side)
      : filters_(std::move(filters)),
        offset_(std::move(offset)),
        contrast_(contrast),
        side_(side) {}

  Matrix<float> filters_;  // C × C s²
  std::vector<float> offset_;
  bool contrast_;
  Index side_;
};

}  // namespace krica
