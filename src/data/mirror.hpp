// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "krica/data/image_set.hpp"

namespace krica {

/// Mirrors a planar image left to right, in place.
template <class Pixel>
void mirror_image(const ImageShape& shape, Pixel* pixels) {
  for (Index row = 0; row < shape.channels * shape.height; ++row)
    std::reverse(pixels + row * shape.width, pixels + (row + 1) * shape.width);
}

}  // namespace krica
