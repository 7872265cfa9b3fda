// SPDX-License-Identifier: BSD-3-Clause
//
// Image codecs: each has a function that reads the header and a decoder. Both throw DataError and
// agree on the shape of the stored image; shape_of() and decode() rotate it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "data/byte_source.hpp"
#include "krica/data/image.hpp"

namespace krica {

/// Larger images are rejected: a few header bytes must not allocate gigabytes.
constexpr Index kMostPixels = Index{1} << 26;
constexpr Index kLongestSide = 65500;
/// Smaller images are always read; larger ones must have enough bytes for their pixels.
constexpr Index kSmallPixels = Index{1} << 22;

/// An image file, or the beginning of one.
struct EncodedImage {
  std::span<const std::uint8_t> bytes;
  Index file_size = 0;           // of the whole file
  std::string name;              // for messages
  bool exif_orientation = true;  // rotate the image according to its orientation tag
};

enum class ImageCodec { kNone, kJpeg, kPng, kPnm, kBmp, kWebp, kTiff };

/// Detected from the first bytes.
ImageCodec codec_of(std::span<const std::uint8_t> bytes);

/// False for kNone, and for WebP and TIFF if krica was built without their libraries.
bool can_decode(ImageCodec codec);
bool reads_webp();
bool reads_tiff();

/// The shape after decoding and rotating. Throws DataError for content that is not an image, for a
/// file too small for its header, and if more of the file is needed.
ImageShape shape_of(const EncodedImage& image);
Image decode(const EncodedImage& image);
/// An upper bound of the memory for reading, decoding and fitting the image. Throws as shape_of().
Index decoding_bytes(const EncodedImage& image);

/// Throws DataError unless both sides are positive and within the limits.
void check_sides(const EncodedImage& image, Index height, Index width);
/// The same for a compressed image, of which a byte can plausibly hold at most `most_per_byte`
/// pixels: guards against tiny files whose header promises a huge image.
void check_sides(const EncodedImage& image, Index height, Index width, Index most_per_byte);

/// Whether the colours are premultiplied by alpha.
enum class Alpha { kSeparate, kMultiplied };

/// Composites interleaved pixels of `samples` bytes, the last of which is alpha, over white into
/// image.pixels (planar).
void lay_over_white(const std::uint8_t* pixels, Index samples, Alpha alpha, Image& image);

ImageShape jpeg_shape(const EncodedImage& image);
/// Whether the decoder keeps the coefficients of the whole image, which comes in several scans.
bool jpeg_has_scans(const EncodedImage& image);
Image decode_jpeg(const EncodedImage& image);
ImageShape png_shape(const EncodedImage& image);
Image decode_png(const EncodedImage& image);
ImageShape pnm_shape(const EncodedImage& image);
Image decode_pnm(const EncodedImage& image);
ImageShape bmp_shape(const EncodedImage& image);
Image decode_bmp(const EncodedImage& image);
ImageShape webp_shape(const EncodedImage& image);
Image decode_webp(const EncodedImage& image);
ImageShape tiff_shape(const EncodedImage& image);
Image decode_tiff(const EncodedImage& image);

}  // namespace krica
