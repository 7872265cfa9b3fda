// SPDX-License-Identifier: BSD-3-Clause
//
// Single images. Reads JPEG, PNG, PNM (P1 to P6) and BMP, and WebP and TIFF (first page) if krica
// was built with libwebp and libtiff; writes PNG. The format is detected from the content, never
// from the file name. Grey images have one channel, others three; transparency is composited over
// white; 16 bits are reduced to 8.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/runtime/library.hpp"

namespace krica {

/// Bytes in ImageSet's planar layout.
struct Image {
  ImageShape shape;
  std::vector<std::uint8_t> pixels;
};

/// Throws DataError if the content is not a readable image, IoError if the file cannot be opened.
/// `exif_orientation`: rotate the image according to its orientation tag, so that the shape is the
/// one after rotation; false gives the pixels as stored.
KRICA_EXPORT Image read_image(const std::filesystem::path& path, bool exif_orientation = true);
/// The same; throws DataError also if decoding would take more than half of the memory budget.
KRICA_EXPORT Image read_image(const Context& context, const std::filesystem::path& path,
                              bool exif_orientation = true);

/// Whether the name has the extension of an image format that this build reads: .jpg, .png, ...,
/// and .webp and .tiff if built with their libraries.
KRICA_EXPORT bool has_image_ending(const std::filesystem::path& path);

/// Decodes an encoded file in memory; `name` is used in error messages.
KRICA_EXPORT Image decode_image(std::span<const std::uint8_t> bytes, const std::string& name,
                                bool exif_orientation = true);

/// Converts the image to `shape`: resizes it by the rule if the size differs, and makes it grey or
/// colour as needed. A new size must be square, or that of resized_shape().
KRICA_EXPORT Image fit_image(const Image& image, ImageShape shape,
                             ImageSizeRule rule = ImageSizeRule::kSquare);

/// The bytes of a PNG file: 8 bits, grey or RGB. Equal images give equal bytes.
KRICA_EXPORT std::vector<std::uint8_t> encode_png(const Image& image);

/// Writes to a temporary file and renames it, so that the path holds either the complete image or
/// its previous content.
KRICA_EXPORT void write_png(const std::filesystem::path& path, const Image& image);

}  // namespace krica
