// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krica/runtime/context.hpp"
#include "patches/local_descriptors.hpp"
#include "runtime/ranks.hpp"

namespace krica {

/// sample_patches_into() for a context that shares rows: each rank reads its share of the images
/// and sends their patches to the ranks that hold them. Fills the held rows; returns all labels.
std::vector<int> sample_held_patches(const Context& context, const ImageSet& images,
                                     const LocalDescriptors& descriptors, const HeldRows& held,
                                     MatrixView<float> patches);

}  // namespace krica
