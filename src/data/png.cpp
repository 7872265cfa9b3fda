// SPDX-License-Identifier: BSD-3-Clause
#include <png.h>

#include <utility>

#include "data/codec.hpp"
#include "data/errors.hpp"
#include "data/orientation.hpp"

namespace krica {
namespace {

// Deflate expands a byte to at most 1032, and each of these holds at most 8 pixels.
constexpr Index kMostPixelsPerByte = Index{1032} * 8;

/// libpng's state for reading or writing one image.
struct Png : png_image {
  Png() : png_image{} { version = PNG_IMAGE_VERSION; }
  ~Png() { png_image_free(this); }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;
};

bool palette_is_grey(const EncodedImage& image) {
  const auto palette = png_chunk(image.bytes, "PLTE");
  for (std::size_t i = 0; i + 2 < palette.size(); i += 3) {
    if (palette[i] != palette[i + 1] || palette[i] != palette[i + 2]) return false;
  }
  return true;
}

ImageShape begin(Png& png, const EncodedImage& image) {
  if (png_image_begin_read_from_memory(&png, image.bytes.data(), image.bytes.size()) == 0)
    data_error("png", image.name, "{}", png.message);
  const Index height = png.height;
  const Index width = png.width;
  check_sides(image, height, width, kMostPixelsPerByte);
  const bool grey = (png.format & PNG_FORMAT_FLAG_COLOR) == 0 ||
                    ((png.format & PNG_FORMAT_FLAG_COLORMAP) != 0 && palette_is_grey(image));
  return {height, width, grey ? 1 : 3};
}

}  // namespace

ImageShape png_shape(const EncodedImage& image) {
  Png png;
  return begin(png, image);
}

Image decode_png(const EncodedImage& image) {
  Png png;
  const ImageShape shape = begin(png, image);
  png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // do not treat 16 bits as linear light
  png.format = (png.format & PNG_FORMAT_FLAG_COLOR) != 0 ? PNG_FORMAT_RGBA : PNG_FORMAT_GA;
  Bytes pixels(PNG_IMAGE_SIZE(png));
  if (png_image_finish_read(&png, nullptr, pixels.data(), 0, nullptr) == 0)
    data_error("png", image.name, "{}", png.message);
  Image decoded{shape, Bytes(static_cast<std::size_t>(shape.values()))};
  lay_over_white(pixels.data(), PNG_IMAGE_PIXEL_CHANNELS(png.format), Alpha::kSeparate, decoded);
  return decoded;
}

std::vector<std::uint8_t> encode_png(const Image& image) {
  const ImageShape shape = image.shape;
  if ((shape.channels != 1 && shape.channels != 3) || shape.height <= 0 || shape.width <= 0 ||
      static_cast<Index>(image.pixels.size()) != shape.values()) {
    throw InvalidArgument(fmt::format("[png] cannot write {} x {} x {} pixels from {} bytes",
                                      shape.height, shape.width, shape.channels,
                                      image.pixels.size()));
  }
  Bytes pixels(image.pixels.size());
  for (Index c = 0; c < shape.channels; ++c) {
    const std::uint8_t* plane = image.pixels.data() + c * shape.pixels();
    for (Index i = 0; i < shape.pixels(); ++i) pixels[i * shape.channels + c] = plane[i];
  }
  Png png;
  png.width = static_cast<png_uint_32>(shape.width);
  png.height = static_cast<png_uint_32>(shape.height);
  png.format = shape.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  Bytes file(PNG_IMAGE_PNG_SIZE_MAX(png));
  png_alloc_size_t size = file.size();
  if (png_image_write_to_memory(&png, file.data(), &size, 0, pixels.data(), 0, nullptr) == 0)
    throw InvalidArgument(fmt::format("[png] cannot write: {}", png.message));
  file.resize(size);
  return file;
}

}  // namespace krica
