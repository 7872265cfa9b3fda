// SPDX-License-Identifier: BSD-3-Clause
//
// Image codecs: each has a quick look at the header and a decoder. Both throw DataError and agree
// on the shape.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "data/byte_source.hpp"
#include "krica/data/image.hpp"

namespace krica {

/// Larger images are refused: a few header bytes must not cost gigabytes.
constexpr Index kMostPixels = Index{1} << 26;
constexpr Index kLongestSide = 65500;

/// An image file, or the beginning of one.
struct EncodedImage {
  std::span<const std::uint8_t> bytes;
  Index file_size = 0;  // of the whole file
  std::string name;     // for messages
};

enum class ImageCodec { kNone, kJpeg, kPng, kPnm, kBmp };

/// By the first bytes.
ImageCodec codec_of(std::span<const std::uint8_t> bytes);

/// The size after decoding. Throws DataError for content that is no image, and for a header that
/// the file is too small for.
ImageShape shape_of(const EncodedImage& image);
Image decode(const EncodedImage& image);

/// Throws DataError unless both sides are positive and within the limits.
void check_sides(const EncodedImage& image, Index height, Index width);

ImageShape jpeg_shape(const EncodedImage& image);
Image decode_jpeg(const EncodedImage& image);
ImageShape png_shape(const EncodedImage& image);
Image decode_png(const EncodedImage& image);
ImageShape pnm_shape(const EncodedImage& image);
Image decode_pnm(const EncodedImage& image);
ImageShape bmp_shape(const EncodedImage& image);
Image decode_bmp(const EncodedImage& image);

}  // namespace krica
