// SPDX-License-Identifier: BSD-3-Clause
//
// Augmented copies of training images, drawn separately for every image and epoch: mirrored with
// probability one half, and shifted by up to `crops` pixels in each direction with the border
// reflected (equivalent to a random crop of the image padded by reflection).
#pragma once

#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/runtime/context.hpp"

namespace krica {

struct Augmentation {
  bool flips = false;
  Index crops = 0;  ///< >= 0 and less than the image's sides

  /// Throws InvalidArgument if crops do not fit the images.
  void validate(const ImageShape& shape) const;
  [[nodiscard]] bool active() const { return flips || crops > 0; }
};

/// What becomes of one image: mirrored first, then shifted (shift_reflected).
struct Alteration {
  bool mirrored = false;
  Index down = 0;
  Index right = 0;
};
Alteration draw_alteration(const Augmentation& augmentation, Random& random);

/// Alters a planar image in place.
void alter(const Alteration& alteration, const ImageShape& shape, float* pixels);

/// Shifts the image up by `down` and left by `right` pixels, in place: pixel (y, x) comes from
/// (y + down, x + right), reflected at the borders without repeating them.
void shift_reflected(const ImageShape& shape, Index down, Index right, float* pixels);

}  // namespace krica
