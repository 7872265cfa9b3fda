// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krica/data/image_set.hpp"
#include "krica/runtime/library.hpp"

namespace krica {

/// One planar image of `from` as `size` × `size`, with the same channels. An output pixel is the
/// mean over the area that it covers where the image shrinks, bilinear where it grows.
template <class Pixel>
KRICA_EXPORT void resize_image(const Pixel* in, ImageShape from, Index size, ImageSizeRule rule,
                               Pixel* out);

/// One planar image of `from` as grey (channels 1) or colour (3).
template <class Pixel>
KRICA_EXPORT void change_channels(const Pixel* in, ImageShape from, Index channels, Pixel* out);

}  // namespace krica
