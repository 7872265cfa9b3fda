// SPDX-License-Identifier: BSD-3-Clause
#include "krica/data/image.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "data/byte_source.hpp"
#include "data/codec.hpp"
#include "data/decoding_room.hpp"
#include "data/errors.hpp"
#include "data/orientation.hpp"
#include "data/resize.hpp"
#include "runtime/check.hpp"
#include "runtime/file.hpp"

namespace krica {
namespace {

constexpr Index kLargestFile = Index{1} << 30;

bool starts_with(std::span<const std::uint8_t> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

[[noreturn]] void not_an_image(const EncodedImage& image) {
  data_error("image", image.name, "{}; JPEG, PNG, PNM, BMP{}{} can be read",
             image.file_size == 0 ? "the file is empty" : "not an image",
             reads_webp() ? ", WebP" : "", reads_tiff() ? ", TIFF" : "");
}

int orientation_of(const EncodedImage& image) {
  if (!image.exif_orientation) return 1;
  switch (codec_of(image.bytes)) {
    case ImageCodec::kJpeg:
      return jpeg_orientation(image.bytes);
    case ImageCodec::kPng:
      return png_orientation(image.bytes);
    case ImageCodec::kWebp:
      return webp_orientation(image.bytes);
    case ImageCodec::kTiff:
      return exif_orientation(image.bytes);
    default:
      return 1;
  }
}

ImageShape stored_shape(const EncodedImage& image) {
  switch (codec_of(image.bytes)) {
    case ImageCodec::kJpeg:
      return jpeg_shape(image);
    case ImageCodec::kPng:
      return png_shape(image);
    case ImageCodec::kPnm:
      return pnm_shape(image);
    case ImageCodec::kBmp:
      return bmp_shape(image);
    case ImageCodec::kWebp:
      return webp_shape(image);
    case ImageCodec::kTiff:
      return tiff_shape(image);
    case ImageCodec::kNone:
      break;
  }
  not_an_image(image);
}

/// Bytes per pixel that the decoder holds beside the image that it returns.
Index working_bytes_per_pixel(const EncodedImage& image) {
  switch (codec_of(image.bytes)) {
    case ImageCodec::kJpeg:
      return jpeg_has_scans(image) ? 8 : 0;  // coefficients of 2 bytes
    case ImageCodec::kPng:
      return 4;
    case ImageCodec::kWebp:
      return 8;
    case ImageCodec::kTiff:
      return 12;  // a strip may be the whole image, of 16 bits
    default:
      return 0;
  }
}

Image decode_stored(const EncodedImage& image) {
  switch (codec_of(image.bytes)) {
    case ImageCodec::kJpeg:
      return decode_jpeg(image);
    case ImageCodec::kPng:
      return decode_png(image);
    case ImageCodec::kPnm:
      return decode_pnm(image);
    case ImageCodec::kBmp:
      return decode_bmp(image);
    case ImageCodec::kWebp:
      return decode_webp(image);
    case ImageCodec::kTiff:
      return decode_tiff(image);
    case ImageCodec::kNone:
      break;
  }
  not_an_image(image);
}

}  // namespace

ImageCodec codec_of(std::span<const std::uint8_t> bytes) {
  if (starts_with(bytes, "\xff\xd8\xff")) return ImageCodec::kJpeg;
  if (starts_with(bytes, "\x89PNG\r\n\x1a\n")) return ImageCodec::kPng;
  if (bytes.size() >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
      (std::isspace(bytes[2]) != 0 || bytes[2] == '#')) {
    return ImageCodec::kPnm;
  }
  // "BM" alone starts many texts: the reserved bytes must be zero and the header size plausible.
  if (starts_with(bytes, "BM") && bytes.size() >= 18 &&
      std::all_of(bytes.begin() + 6, bytes.begin() + 10, [](auto b) { return b == 0; }) &&
      bytes[15] == 0 && bytes[16] == 0 && bytes[17] == 0) {
    return ImageCodec::kBmp;
  }
  if (starts_with(bytes, "RIFF") &&
      starts_with(bytes.subspan(std::min<std::size_t>(8, bytes.size())), "WEBP"))
    return ImageCodec::kWebp;
  using std::literals::operator""sv;
  for (const std::string_view magic :
       {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv}) {  // + is BigTIFF
    if (starts_with(bytes, magic)) return ImageCodec::kTiff;
  }
  return ImageCodec::kNone;
}

bool can_decode(ImageCodec codec) {
  if (codec == ImageCodec::kWebp) return reads_webp();
  if (codec == ImageCodec::kTiff) return reads_tiff();
  return codec != ImageCodec::kNone;
}

void check_sides(const EncodedImage& image, Index height, Index width) {
  if (height <= 0 || width <= 0) {
    data_error("image", image.name, "the header says {} x {} pixels", width, height);
  }
  if (height > kLongestSide || width > kLongestSide || height * width > kMostPixels) {
    data_error("image", image.name,
               "{} x {} pixels are more than can be read: at most {} per side and {} in total",
               width, height, kLongestSide, kMostPixels);
  }
}

void check_sides(const EncodedImage& image, Index height, Index width, Index most_per_byte) {
  check_sides(image, height, width);
  const Index pixels = height * width;
  if (pixels > kSmallPixels && pixels / most_per_byte > image.file_size) {
    data_error("image", image.name,
               "{} x {} pixels in a file of {} bytes: blank or corrupt; above {} pixels, a byte "
               "may hold at most {}",
               width, height, image.file_size, kSmallPixels, most_per_byte);
  }
}

void lay_over_white(const std::uint8_t* pixels, Index samples, Alpha alpha, Image& image) {
  const Index count = image.shape.pixels();
  for (Index c = 0; c < image.shape.channels; ++c) {
    std::uint8_t* plane = image.pixels.data() + c * count;
    for (Index i = 0; i < count; ++i) {
      const std::uint8_t* pixel = pixels + i * samples;
      const int opaque = pixel[samples - 1];
      const int value = alpha == Alpha::kSeparate
                            ? (pixel[c] * opaque + 255 * (255 - opaque) + 127) / 255
                            : std::min(255, pixel[c] + 255 - opaque);
      plane[i] = static_cast<std::uint8_t>(value);
    }
  }
}

ImageShape shape_of(const EncodedImage& image) {
  return turned(stored_shape(image), orientation_of(image));
}

Image decode(const EncodedImage& image) {
  return turned(decode_stored(image), orientation_of(image));
}

Index decoding_bytes(const EncodedImage& image) {
  const ImageShape shape = stored_shape(image);
  constexpr Index kCopy = 3;  // turned, or with other channels
  return image.file_size + shape.values() +
         shape.pixels() * std::max(kCopy, working_bytes_per_pixel(image));
}

Image decode_image(std::span<const std::uint8_t> bytes, const std::string& name,
                   bool exif_orientation) {
  return decode({bytes, static_cast<Index>(bytes.size()), name, exif_orientation});
}

Image read_image(const std::filesystem::path& path, bool exif_orientation) {
  return decode_image(read_all(*open_file("image", path), kLargestFile), path.filename().string(),
                      exif_orientation);
}

Image read_image(const Context& context, const std::filesystem::path& path, bool exif_orientation) {
  const DecodingRoom room(context);
  const std::string name = path.filename().string();
  const ByteSourcePtr source = open_file("image", path);
  room.check_reading(name, source->size());
  const Bytes bytes = read_all(*source, kLargestFile);
  const EncodedImage image{bytes, source->size(), name, exif_orientation};
  room.check(image);
  return decode(image);
}

Image fit_image(const Image& image, ImageShape shape, ImageSizeRule rule) {
  require(shape.channels == 1 || shape.channels == 3, "fit_image",
          "channels must be 1 or 3, got {}", shape.channels);
  const bool same_sides = image.shape.height == shape.height && image.shape.width == shape.width;
  const bool possible = shape.height > 0 && shape.width > 0 &&
                        (shape.height == shape.width || rule == ImageSizeRule::kWithin);
  require(same_sides || possible, "fit_image",
          "images can only be resized to squares, not to {} x {}", shape.width, shape.height);
  ImageShape unified = image.shape;
  unified.channels = shape.channels;
  Image changed;
  const bool changes = unified != image.shape;
  if (changes) {
    changed = {unified, Bytes(static_cast<std::size_t>(unified.values()))};
    change_channels(image.pixels.data(), image.shape, shape.channels, changed.pixels.data());
  }
  if (same_sides) return changes ? changed : image;
  Image fitted{shape, Bytes(static_cast<std::size_t>(shape.values()))};
  resize_image((changes ? changed : image).pixels.data(), unified, shape, rule,
               fitted.pixels.data());
  return fitted;
}

void write_png(const std::filesystem::path& path, const Image& image) {
  const Bytes bytes = encode_png(image);
  write_file_atomically(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace krica
