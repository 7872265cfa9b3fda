// SPDX-License-Identifier: BSD-3-Clause
#include <csetjmp>
#include <cstddef>
#include <cstdio>
// jpeglib.h needs size_t and FILE to be declared first.
#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <array>

#include "data/codec.hpp"
#include "data/errors.hpp"
#include "data/planes.hpp"

// libjpeg reports errors by longjmp. Functions that it may leave this way own nothing with a
// destructor: memory and messages are in Decoder, which their caller owns.
namespace krica {
namespace {

// A block of 8 x 8 pixels takes at least one bit; progressive files hold the whole image in memory.
constexpr Index kMostPixelsPerByte = 2048;
// Every scan passes over the whole image, however little it contains; typical files have about ten.
constexpr int kMostScans = 100;

struct Decoder {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  bool too_many_scans = false;
  std::jmp_buf escape{};
  std::array<char, JMSG_LENGTH_MAX> message{};
  bool truncated = false;
  Bytes line;
  Image image;

  Decoder() = default;
  ~Decoder() { jpeg_destroy_decompress(&info); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
};

void on_error(j_common_ptr info) {
  auto* decoder = static_cast<Decoder*>(info->client_data);
  info->err->format_message(info, decoder->message.data());
  std::longjmp(decoder->escape, 1);
}

/// Warnings do not stop libjpeg: it fills in grey for missing data, which is an error here.
void on_message(j_common_ptr info, int level) {
  auto* decoder = static_cast<Decoder*>(info->client_data);
  const int code = info->err->msg_code;
  if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) decoder->truncated = true;
}

/// Called from time to time while scans are read.
void on_progress(j_common_ptr info) {
  auto* decoder = static_cast<Decoder*>(info->client_data);
  if (decoder->info.input_scan_number <= kMostScans) return;
  decoder->too_many_scans = true;
  std::longjmp(decoder->escape, 1);
}

/// False on an error, with its text in decoder.message.
bool start(Decoder& decoder, const EncodedImage& image) {
  decoder.info.err = jpeg_std_error(&decoder.errors);
  decoder.errors.error_exit = on_error;
  decoder.errors.emit_message = on_message;
  decoder.info.client_data = &decoder;
  decoder.progress.progress_monitor = on_progress;
  if (setjmp(decoder.escape) != 0) return false;
  jpeg_create_decompress(&decoder.info);
  decoder.info.progress = &decoder.progress;
  jpeg_mem_src(&decoder.info, image.bytes.data(), image.bytes.size());
  jpeg_read_header(&decoder.info, TRUE);
  return true;
}

void begin(Decoder& decoder, const EncodedImage& image) {
  if (!start(decoder, image)) data_error("jpeg", image.name, "{}", decoder.message.data());
  if (decoder.truncated) data_error("jpeg", image.name, "truncated");
  check_sides(image, decoder.info.image_height, decoder.info.image_width, kMostPixelsPerByte);
}

ImageShape shape_in(const Decoder& decoder) {
  const Index channels = decoder.info.jpeg_color_space == JCS_GRAYSCALE ? 1 : 3;
  return {decoder.info.image_height, decoder.info.image_width, channels};
}

bool is_cmyk(const Decoder& decoder) {
  return decoder.info.jpeg_color_space == JCS_CMYK || decoder.info.jpeg_color_space == JCS_YCCK;
}

/// CMYK files from Adobe's programs, nearly the only ones in use, store inverted inks, so that
/// channel · black / 255 is the colour.
void store_cmyk(const std::uint8_t* line, Index width, std::uint8_t* red, Index plane) {
  for (Index c = 0; c < 3; ++c) {
    std::uint8_t* out = red + c * plane;
    for (Index x = 0; x < width; ++x)
      out[x] = static_cast<std::uint8_t>(line[4 * x + c] * line[4 * x + 3] / 255);
  }
}

void store_line(Decoder& decoder, Index row) {
  const ImageShape shape = decoder.image.shape;
  const std::uint8_t* line = decoder.line.data();
  std::uint8_t* out = decoder.image.pixels.data() + row * shape.width;
  if (shape.channels == 1) {
    std::copy_n(line, shape.width, out);
  } else if (decoder.info.output_components == 4) {
    store_cmyk(line, shape.width, out, shape.pixels());
  } else {
    split_colours(line, shape.width, out, shape.pixels());
  }
}

bool decode_lines(Decoder& decoder) {
  if (setjmp(decoder.escape) != 0) return false;
  jpeg_start_decompress(&decoder.info);
  while (decoder.info.output_scanline < decoder.info.output_height) {
    const Index row = decoder.info.output_scanline;
    JSAMPROW line = decoder.line.data();
    jpeg_read_scanlines(&decoder.info, &line, 1);
    store_line(decoder, row);
  }
  jpeg_finish_decompress(&decoder.info);
  return true;
}

}  // namespace

ImageShape jpeg_shape(const EncodedImage& image) {
  Decoder decoder;
  begin(decoder, image);
  return shape_in(decoder);
}

bool jpeg_has_scans(const EncodedImage& image) {
  Decoder decoder;
  begin(decoder, image);
  return jpeg_has_multiple_scans(&decoder.info) == TRUE;
}

Image decode_jpeg(const EncodedImage& image) {
  Decoder decoder;
  begin(decoder, image);
  const ImageShape shape = shape_in(decoder);
  decoder.info.out_color_space =
      is_cmyk(decoder) ? JCS_CMYK : (shape.channels == 1 ? JCS_GRAYSCALE : JCS_RGB);
  decoder.line.resize(static_cast<std::size_t>(shape.width * 4));
  decoder.image = {shape, Bytes(static_cast<std::size_t>(shape.values()))};
  const bool done = decode_lines(decoder);
  if (decoder.too_many_scans) {
    data_error("jpeg", image.name, "{} x {} pixels in more than {} scans, which is the limit",
               shape.width, shape.height, kMostScans);
  }
  if (!done) data_error("jpeg", image.name, "{}", decoder.message.data());
  if (decoder.truncated)
    data_error("jpeg", image.name, "truncated or corrupt: image data is missing");
  return std::move(decoder.image);
}

}  // namespace krica
