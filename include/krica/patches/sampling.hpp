// SPDX-License-Identifier: BSD-3-Clause
//
// Patches: square pieces of images, one a row, channel by channel (n = size² · channels).
#pragma once

#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/runtime/context.hpp"

namespace krica {

struct PatchSample {
  Matrix<float> patches;    ///< count × size²·channels, pixel values as the set holds them
  std::vector<int> labels;  ///< of the images they come from; empty where the set has none
};

/// `count` patches of size×size pixels at random places of random images. Patch i depends on the
/// seed and i alone. Where a patch covers the whole image, as with samples, each image gives at
/// most one: all of them, or `count` chosen by the seed, in the images' order. Throws
/// InvalidArgument for size < 1, count < 1, or images smaller than the patches.
PatchSample sample_patches(const Context& context, const ImageSet& images, Index size, Index count);

/// The patch of a planar image whose upper left pixel is (top, left), channel by channel.
void copy_patch(const float* image, const ImageShape& shape, Index size, Index top, Index left,
                float* patch);

}  // namespace krica
