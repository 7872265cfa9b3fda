// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krica/data/image_set.hpp"
#include "krica/runtime/library.hpp"

namespace krica {

/// Resizes one planar image of `from` to the sides of `to`, a square or that of resized_shape(),
/// with the same channels: area averaging to shrink, bilinear to enlarge.
template <class Pixel>
KRICA_EXPORT void resize_image(const Pixel* in, ImageShape from, ImageShape to, ImageSizeRule rule,
                               Pixel* out);

/// Converts one planar image of `from` to grey (channels 1) or colour (3).
template <class Pixel>
KRICA_EXPORT void change_channels(const Pixel* in, ImageShape from, Index channels, Pixel* out);

}  // namespace krica
