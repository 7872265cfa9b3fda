// SPDX-License-Identifier: BSD-3-Clause
#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>

#include "data/codec.hpp"
#include "data/errors.hpp"

// libpng reports errors by longjmp. Functions that it may leave this way hold nothing with a
// destructor: memory and messages live in Reader and Writer, which their callers own.
namespace krica {
namespace {

// Deflate makes at most 1032 bytes of one, and a byte holds at most 8 pixels.
constexpr Index kMostPixelsPerByte = Index{1032} * 8;

struct Reader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::span<const std::uint8_t> rest;
  std::array<char, 128> message{};
  Bytes rows;  // as libpng gives them: interleaved
  std::vector<png_bytep> row_pointers;

  Reader() = default;
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
};

struct Writer {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::array<char, 128> message{};
  Bytes line;
  Bytes file;

  Writer() = default;
  ~Writer() { png_destroy_write_struct(&png, &info); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
};

template <class State>
void on_error(png_structp png, png_const_charp text) {
  auto* state = static_cast<State*>(png_get_error_ptr(png));
  std::strncpy(state->message.data(), text, state->message.size() - 1);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep out, std::size_t count) {
  auto* reader = static_cast<Reader*>(png_get_io_ptr(png));
  if (count > reader->rest.size()) png_error(png, "truncated");
  std::memcpy(out, reader->rest.data(), count);
  reader->rest = reader->rest.subspan(count);
}

void write_bytes(png_structp png, png_bytep data, std::size_t count) {
  auto* writer = static_cast<Writer*>(png_get_io_ptr(png));
  writer->file.insert(writer->file.end(), data, data + count);
}

void flush_bytes(png_structp) {}

bool start(Reader& reader, const EncodedImage& image) {
  reader.rest = image.bytes;
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, on_error<Reader>, on_warning);
  if (reader.png == nullptr) throw std::bad_alloc();
  reader.info = png_create_info_struct(reader.png);
  if (reader.info == nullptr) throw std::bad_alloc();
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_set_read_fn(reader.png, &reader, read_bytes);
  png_set_user_limits(reader.png, kLongestSide, kLongestSide);
  png_read_info(reader.png, reader.info);
  return true;
}

bool palette_is_grey(const Reader& reader) {
  png_colorp palette = nullptr;
  int size = 0;
  png_get_PLTE(reader.png, reader.info, &palette, &size);
  return std::all_of(palette, palette + size, [](const png_color& colour) {
    return colour.red == colour.green && colour.green == colour.blue;
  });
}

ImageShape begin(Reader& reader, const EncodedImage& image) {
  if (!start(reader, image)) data_error("png", image.name, "{}", reader.message.data());
  const Index height = png_get_image_height(reader.png, reader.info);
  const Index width = png_get_image_width(reader.png, reader.info);
  check_sides(image, height, width);
  if (height * width / kMostPixelsPerByte > image.file_size) {
    data_error("png", image.name, "the header says {} x {} pixels, the file has only {} bytes",
               width, height, image.file_size);
  }
  const int type = png_get_color_type(reader.png, reader.info);
  const bool colour = type == PNG_COLOR_TYPE_PALETTE ? !palette_is_grey(reader)
                                                     : (type & PNG_COLOR_MASK_COLOR) != 0;
  return {height, width, colour ? 3 : 1};
}

/// Asks for 8 bits with an alpha channel: 2 bytes a pixel for grey, 4 for colour and palettes.
/// Gives that number, or 0 on an error.
int expand(Reader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return 0;
  png_set_expand(reader.png);
  png_set_scale_16(reader.png);
  png_set_add_alpha(reader.png, 0xff, PNG_FILLER_AFTER);
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  return png_get_channels(reader.png, reader.info);
}

bool read_rows(Reader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_read_image(reader.png, reader.row_pointers.data());
  png_read_end(reader.png, nullptr);
  return true;
}

bool write_image(Writer& writer, const Image& image) {
  if (setjmp(png_jmpbuf(writer.png)) != 0) return false;
  const ImageShape shape = image.shape;
  png_set_write_fn(writer.png, &writer, write_bytes, flush_bytes);
  png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(shape.width),
               static_cast<png_uint_32>(shape.height), 8,
               shape.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(writer.png, writer.info);
  for (Index y = 0; y < shape.height; ++y) {
    for (Index c = 0; c < shape.channels; ++c) {
      const std::uint8_t* row = image.pixels.data() + c * shape.pixels() + y * shape.width;
      for (Index x = 0; x < shape.width; ++x) writer.line[x * shape.channels + c] = row[x];
    }
    png_write_row(writer.png, writer.line.data());
  }
  png_write_end(writer.png, nullptr);
  return true;
}

}  // namespace

ImageShape png_shape(const EncodedImage& image) {
  Reader reader;
  return begin(reader, image);
}

Image decode_png(const EncodedImage& image) {
  Reader reader;
  const ImageShape shape = begin(reader, image);
  const int samples = expand(reader);
  if (samples == 0) data_error("png", image.name, "{}", reader.message.data());
  const Index row_bytes = shape.width * samples;
  reader.rows.resize(static_cast<std::size_t>(row_bytes * shape.height));
  for (Index y = 0; y < shape.height; ++y)
    reader.row_pointers.push_back(reader.rows.data() + y * row_bytes);
  if (!read_rows(reader)) data_error("png", image.name, "{}", reader.message.data());
  Image decoded{shape, Bytes(static_cast<std::size_t>(shape.values()))};
  lay_over_white(reader.rows.data(), samples, Alpha::kSeparate, decoded);
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
  Writer writer;
  writer.png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer, on_error<Writer>, on_warning);
  if (writer.png == nullptr) throw std::bad_alloc();
  writer.info = png_create_info_struct(writer.png);
  if (writer.info == nullptr) throw std::bad_alloc();
  writer.line.resize(static_cast<std::size_t>(shape.width * shape.channels));
  if (!write_image(writer, image)) {
    throw InvalidArgument(fmt::format("[png] cannot write: {}", writer.message.data()));
  }
  return std::move(writer.file);
}

}  // namespace krica
