// SPDX-License-Identifier: BSD-3-Clause
//
// Patches to learn from: local descriptors at random positions of random images, one per row.
#pragma once

#include <vector>

#include "krica/runtime/context.hpp"
#include "patches/local_descriptors.hpp"

namespace krica {

struct PatchSample {
  Matrix<float> patches;    ///< count × dimensions, with the set's pixel values
  std::vector<int> labels;  ///< of their images; empty if the set is unlabelled
};

/// `count` patches at random positions of random images. Patch i depends only on the seed and i.
/// Images with a single position, such as samples, give at most one patch each: all of them, or
/// `count` chosen by the seed, in the images' order. Throws InvalidArgument for count < 1, no
/// images, or images without positions.
PatchSample sample_patches(const Context& context, const ImageSet& images,
                           const LocalDescriptors& descriptors, Index count);

/// How many patches that gives.
Index sampled_count(const ImageSet& images, const LocalDescriptors& descriptors, Index count);

/// The same into `patches` (sampled_count() × dimensions); returns the labels.
std::vector<int> sample_patches_into(const Context& context, const ImageSet& images,
                                     const LocalDescriptors& descriptors,
                                     MatrixView<float> patches);

/// The same for patches of size × size pixels, channel by channel, wherever they fit.
PatchSample sample_patches(const Context& context, const ImageSet& images, Index size, Index count);

}  // namespace krica
