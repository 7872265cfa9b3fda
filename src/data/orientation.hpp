// SPDX-License-Identifier: BSD-3-Clause
//
// Cameras store images as the sensor saw them and say in an EXIF tag how to turn them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "krica/data/image.hpp"

namespace krica {

/// The orientation tag of an EXIF block, which is a small TIFF file: 1 (as stored) to 8. Gives 1
/// where the block has no valid tag.
int exif_orientation(std::span<const std::uint8_t> tiff);

/// What a PNG file or its beginning holds under `name`, or nothing. Chunks after the first IDAT do
/// not count: the beginning of a file must give the same answer as the whole.
std::span<const std::uint8_t> png_chunk(std::span<const std::uint8_t> file, std::string_view name);

/// The tag in a JPEG, PNG or WebP file or its beginning.
int jpeg_orientation(std::span<const std::uint8_t> file);
int png_orientation(std::span<const std::uint8_t> file);
int webp_orientation(std::span<const std::uint8_t> file);

/// The shape after turning: orientations 5 to 8 swap the sides.
ImageShape turned(ImageShape shape, int orientation);
Image turned(Image image, int orientation);

}  // namespace krica
