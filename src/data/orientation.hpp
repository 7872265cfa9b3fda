// SPDX-License-Identifier: BSD-3-Clause
//
// Cameras store images as captured and put the rotation in an EXIF tag.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "krica/data/image.hpp"

namespace krica {

/// The orientation tag of an EXIF block, which is a small TIFF file: 1 (as stored) to 8. Returns 1
/// if there is no valid tag.
int exif_orientation(std::span<const std::uint8_t> tiff);

/// The chunk `name` of a PNG file, or of its beginning; empty if there is none. Ignores chunks
/// after the first IDAT: the beginning of a file must give the same answer as the whole file.
std::span<const std::uint8_t> png_chunk(std::span<const std::uint8_t> file, std::string_view name);

/// The tag of a JPEG, PNG or WebP file, or of its beginning.
int jpeg_orientation(std::span<const std::uint8_t> file);
int png_orientation(std::span<const std::uint8_t> file);
int webp_orientation(std::span<const std::uint8_t> file);

/// The shape after rotation: orientations 5 to 8 swap the sides.
ImageShape turned(ImageShape shape, int orientation);
Image turned(Image image, int orientation);

}  // namespace krica
