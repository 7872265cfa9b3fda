// SPDX-License-Identifier: BSD-3-Clause
//
// Images in memory for one step of training.
#pragma once

#include <span>

#include "joint/augmentation.hpp"
#include "krica/runtime/context.hpp"

namespace krica {

/// How an image is altered in an epoch. Each image and epoch has its own random stream.
Alteration alteration_of(const Context& context, const ImageSet& images, Index image,
                         const Augmentation& augmentation, std::uint64_t epoch);

/// The selected images, one planar image per row; augmented on request. In contexts that share
/// rows, only own_images() (pooled_codes.hpp) of them.
Matrix<float> read_batch(const Context& context, const ImageSet& images,
                         std::span<const Index> chosen, const Augmentation& augmentation = {},
                         std::uint64_t epoch = 0);

}  // namespace krica
