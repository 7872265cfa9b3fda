// SPDX-License-Identifier: BSD-3-Clause
//
// Patches to learn from: local descriptors at random positions of random images, one a row.
#pragma once

#include <vector>

#include "krica/runtime/context.hpp"
#include "patches/local_descriptors.hpp"

namespace krica {

struct PatchSample {
  Matrix<float> patches;    ///< count × dimensions, of pixels as the set holds them
  std::vector<int> labels;  ///< of the images they come from; empty where the set has none
};

/// `count` patches at random positions of random images. Patch i depends on the seed and i alone.
/// Where an image has a single position, as a sample does, it gives at most one patch: all of them,
/// or `count` chosen by the seed, in the images' order. Throws InvalidArgument for count < 1, no
/// images, or images without a position.
PatchSample sample_patches(const Context& context, const ImageSet& images,
                           const LocalDescriptors& descriptors, Index count);

/// The same for patches of size × size pixels, channel by channel, wherever they fit.
PatchSample sample_patches(const Context& context, const ImageSet& images, Index size, Index count);

}  // namespace krica
