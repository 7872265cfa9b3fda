// SPDX-License-Identifier: BSD-3-Clause
//
// Single images: JPEG, PNG, PNM (P1 to P6) and BMP in, also WebP and TIFF (the first page) where
// krica was built with libwebp and libtiff; PNG out. The format is recognised by content, never by
// the file's name. Grey images have one channel, others three; transparency is laid over white; 16
// bits become 8.
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

/// Throws DataError where the content is no image that can be read, IoError where the file cannot
/// be opened. `exif_orientation`: turn the image as its orientation tag says, so that the shape is
/// that after turning; false gives the pixels as they are stored.
KRICA_EXPORT Image read_image(const std::filesystem::path& path, bool exif_orientation = true);

/// Whether the name ends as those of images that this build reads: .jpg, .png, ..., and .webp and
/// .tiff where their libraries were there.
KRICA_EXPORT bool has_image_ending(const std::filesystem::path& path);

/// From an encoded file in memory; `name` is used in error messages.
KRICA_EXPORT Image decode_image(std::span<const std::uint8_t> bytes, const std::string& name,
                                bool exif_orientation = true);

/// The image as shape, resized by the rule where sides differ and made grey or colour as needed.
/// shape must be square where sides differ.
KRICA_EXPORT Image fit_image(const Image& image, ImageShape shape,
                             ImageSizeRule rule = ImageSizeRule::kSquare);

/// A PNG file's bytes: 8 bits, grey or RGB. The same image always gives the same bytes.
KRICA_EXPORT std::vector<std::uint8_t> encode_png(const Image& image);

/// Writes through a temporary name, so that the path holds either the whole image or what was there
/// before.
KRICA_EXPORT void write_png(const std::filesystem::path& path, const Image& image);

}  // namespace krica
