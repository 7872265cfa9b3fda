// SPDX-License-Identifier: BSD-3-Clause
//
// Changed copies of training images, drawn for every image and epoch by itself: a mirror image with
// probability one half, and a shift by up to `crops` pixels each way, the border reflected (which
// equals a random crop of the image padded by reflection).
#pragma once

#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/runtime/context.hpp"

namespace krica {

struct Augmentation {
  bool flips = false;
  Index crops = 0;  ///< >= 0 and less than the image's sides

  /// Throws InvalidArgument where crops do not fit the images.
  void validate(const ImageShape& shape) const;
  [[nodiscard]] bool active() const { return flips || crops > 0; }
};

/// Changes a planar image in place, by what `random` draws.
void augment(const Augmentation& augmentation, const ImageShape& shape, Random& random,
             float* pixels);

/// The image moved up by `down` and left by `right` pixels: pixel (y, x) comes from (y + down,
/// x + right), reflected at the borders without repeating them. In place.
void shift_reflected(const ImageShape& shape, Index down, Index right, float* pixels);

}  // namespace krica
