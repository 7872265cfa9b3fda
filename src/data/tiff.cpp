// SPDX-License-Identifier: BSD-3-Clause
//
// TIFF, using libtiff, the first page of a file; replaced by no_tiff.cpp if libtiff is not
// installed.
#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "data/codec.hpp"
#include "data/errors.hpp"

namespace krica {
namespace {

constexpr tmsize_t kLargestAllocation = tmsize_t{1} << 29;
constexpr Index kMostPixelsPerByte = 8192;  // for deflate; only fax codes of blank pages exceed it

/// A file in memory, and its first error.
struct Reader {
  explicit Reader(const EncodedImage& encoded) : image(encoded) {}
  ~Reader() {
    if (tiff != nullptr) TIFFClose(tiff);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  const EncodedImage& image;
  TIFF* tiff = nullptr;
  toff_t position = 0;
  std::array<char, 256> message{};
};

tmsize_t read_bytes(thandle_t handle, void* out, tmsize_t count) {
  auto* reader = static_cast<Reader*>(handle);
  const auto bytes = reader->image.bytes;
  if (reader->position >= bytes.size()) return 0;
  const auto now =
      std::min<tmsize_t>(count, static_cast<tmsize_t>(bytes.size() - reader->position));
  std::memcpy(out, bytes.data() + reader->position, static_cast<std::size_t>(now));
  reader->position += static_cast<toff_t>(now);
  return now;
}

tmsize_t refuse_to_write(thandle_t, void*, tmsize_t) { return 0; }

toff_t seek(thandle_t handle, toff_t offset, int origin) {
  auto* reader = static_cast<Reader*>(handle);
  if (origin == SEEK_SET) reader->position = offset;
  if (origin == SEEK_CUR) reader->position += offset;
  if (origin == SEEK_END) reader->position = reader->image.bytes.size() + offset;
  return reader->position;
}

int close_nothing(thandle_t) { return 0; }

toff_t size_of(thandle_t handle) { return static_cast<Reader*>(handle)->image.bytes.size(); }

int on_error(TIFF*, void* user, const char*, const char* format, va_list arguments) {
  auto* reader = static_cast<Reader*>(user);
  if (reader->message[0] == '\0')
    std::vsnprintf(reader->message.data(), reader->message.size(), format, arguments);
  return 1;
}

int on_warning(TIFF*, void*, const char*, const char*, va_list) { return 1; }

[[noreturn]] void broken(const Reader& reader) {
  const char* reason = reader.message[0] != '\0' ? reader.message.data() : "truncated or broken";
  data_error("tiff", reader.image.name, "{}", reason);
}

ImageShape begin(Reader& reader) {
  if (static_cast<Index>(reader.image.bytes.size()) < reader.image.file_size)
    data_error("tiff", reader.image.name, "the header may be anywhere in the file");
  TIFFOpenOptions* options = TIFFOpenOptionsAlloc();
  if (options == nullptr) throw std::bad_alloc();
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, kLargestAllocation);
  TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, &reader);
  TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, &reader);
  // 'm': no memory mapping.
  reader.tiff =
      TIFFClientOpenExt(reader.image.name.c_str(), "rm", &reader, read_bytes, refuse_to_write, seek,
                        close_nothing, size_of, nullptr, nullptr, options);
  TIFFOpenOptionsFree(options);
  if (reader.tiff == nullptr) broken(reader);
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  TIFFGetField(reader.tiff, TIFFTAG_IMAGELENGTH, &height);
  TIFFGetField(reader.tiff, TIFFTAG_IMAGEWIDTH, &width);
  check_sides(reader.image, height, width, kMostPixelsPerByte);
  std::uint16_t colours = PHOTOMETRIC_RGB;
  TIFFGetField(reader.tiff, TIFFTAG_PHOTOMETRIC, &colours);
  const bool grey = colours == PHOTOMETRIC_MINISBLACK || colours == PHOTOMETRIC_MINISWHITE;
  return {height, width, grey ? 1 : 3};
}

}  // namespace

bool reads_tiff() { return true; }

ImageShape tiff_shape(const EncodedImage& image) {
  Reader reader(image);
  return begin(reader);
}

Image decode_tiff(const EncodedImage& image) {
  Reader reader(image);
  const ImageShape shape = begin(reader);
  std::array<char, 1024> reason{};
  if (TIFFRGBAImageOK(reader.tiff, reason.data()) == 0)
    data_error("tiff", image.name, "this kind of TIFF cannot be read: {}", reason.data());
  std::uint16_t orientation = ORIENTATION_TOPLEFT;
  TIFFGetFieldDefaulted(reader.tiff, TIFFTAG_ORIENTATION, &orientation);
  std::vector<std::uint32_t> pixels(static_cast<std::size_t>(shape.pixels()));
  // In the stored orientation: libtiff does not rotate, decode() does.
  if (TIFFReadRGBAImageOriented(reader.tiff, static_cast<std::uint32_t>(shape.width),
                                static_cast<std::uint32_t>(shape.height), pixels.data(),
                                orientation, 1) == 0) {
    broken(reader);
  }
  Image decoded{shape, Bytes(static_cast<std::size_t>(shape.values()))};
  lay_over_white(reinterpret_cast<const std::uint8_t*>(pixels.data()), 4, Alpha::kMultiplied,
                 decoded);
  return decoded;
}

}  // namespace krica
