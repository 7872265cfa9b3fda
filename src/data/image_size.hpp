// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/runtime/library.hpp"

namespace krica {

/// The limit of ImageSizeRule::kWithin if it is left open: as in Lazebnik's and Yang's experiments
/// with SIFT.
constexpr Index kLongestPhotoSide = 300;

/// The size to resize images to if it is left open: 0 (unchanged) if all have the same size of at
/// most 48 pixels per side, otherwise 48, or the median of their shorter sides if that is smaller.
KRICA_EXPORT Index automatic_image_size(const std::vector<ImageShape>& shapes);

}  // namespace krica
