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

/// Augments a planar image in place, with choices drawn from `random`.
void augment(const Augmentation& augmentation, const ImageShape& shape, Random& random,
             float* pixels);

/// Shifts the image up by `down` and left by `right` pixels, in place: pixel (y, x) comes from
/// (y + down, x + right), reflected at the borders without repeating them.
void shift_reflected(const ImageShape& shape, Index down, Index right, float* pixels);

}  // namespace krica
