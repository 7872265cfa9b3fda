// SPDX-License-Identifier: BSD-3-Clause
//
// Cameras store images as the sensor saw them and say in an EXIF tag how to turn them.
#pragma once

#include <cstdint>
#include <span>

#include "krica/data/image.hpp"

namespace krica {

/// The orientation tag of an EXIF block, which is a small TIFF file: 1 (as stored) to 8. Gives 1
/// where the block has no valid tag.
int exif_orientation(std::span<const std::uint8_t> tiff);

/// The tag in a JPEG, PNG or WebP file or its beginning. Of a PNG, eXIf chunks after the first IDAT
/// do not count: the beginning of a file must give the same answer as the whole.
int jpeg_orientation(std::span<const std::uint8_t> file);
int png_orientation(std::span<const std::uint8_t> file);
int webp_orientation(std::span<const std::uint8_t> file);

/// The shape after turning: orientations 5 to 8 swap the sides.
ImageShape turned(ImageShape shape, int orientation);
Image turned(Image image, int orientation);

}  // namespace krica
