// SPDX-License-Identifier: BSD-3-Clause
//
// WebP, using libwebp; replaced by no_webp.cpp if libwebp is not installed.
#include <webp/decode.h>

#include "data/codec.hpp"
#include "data/errors.hpp"

namespace krica {
namespace {

constexpr Index kMostPixelsPerByte = 8192;  // only blank images exceed it

/// The byte of the extended header (VP8X) that says whether EXIF data follows the image.
bool has_exif(std::span<const std::uint8_t> bytes) {
  constexpr std::uint8_t kExifFlag = 0x08;
  return bytes.size() > 20 && bytes[12] == 'V' && bytes[15] == 'X' && (bytes[20] & kExifFlag) != 0;
}

}  // namespace

bool reads_webp() { return true; }

ImageShape webp_shape(const EncodedImage& image) {
  WebPBitstreamFeatures features{};
  const VP8StatusCode status = WebPGetFeatures(image.bytes.data(), image.bytes.size(), &features);
  if (status == VP8_STATUS_NOT_ENOUGH_DATA) data_error("webp", image.name, "truncated");
  if (status != VP8_STATUS_OK) data_error("webp", image.name, "broken header");
  if (features.has_animation != 0) data_error("webp", image.name, "animations cannot be read");
  const bool complete = static_cast<Index>(image.bytes.size()) == image.file_size;
  if (image.exif_orientation && has_exif(image.bytes) && !complete)
    data_error("webp", image.name, "the orientation follows the image");  // read the whole file
  check_sides(image, features.height, features.width, kMostPixelsPerByte);
  return {features.height, features.width, 3};
}

Image decode_webp(const EncodedImage& image) {
  const ImageShape shape = webp_shape(image);
  Bytes pixels(static_cast<std::size_t>(4 * shape.pixels()));
  const int row_bytes = static_cast<int>(4 * shape.width);
  if (WebPDecodeRGBAInto(image.bytes.data(), image.bytes.size(), pixels.data(), pixels.size(),
                         row_bytes) == nullptr) {
    data_error("webp", image.name, "truncated or corrupt: the image cannot be decoded");
  }
  Image decoded{shape, Bytes(static_cast<std::size_t>(shape.values()))};
  lay_over_white(pixels.data(), 4, Alpha::kSeparate, decoded);
  return decoded;
}

}  // namespace krica
