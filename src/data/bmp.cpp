// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "data/codec.hpp"
#include "data/errors.hpp"

namespace krica {
namespace {

constexpr Index kFileHeader = 14;
constexpr std::uint32_t kUncompressed = 0;
constexpr std::uint32_t kBitFields = 3;

struct Colour {
  std::uint8_t blue = 0;
  std::uint8_t green = 0;
  std::uint8_t red = 0;
};

struct Header {
  ImageShape shape;
  bool top_down = false;
  int bits = 0;
  Index pixels_at = 0;
  Index row_bytes = 0;
  std::vector<Colour> palette;
};

/// Little-endian fields at fixed offsets; throws DataError past the end.
class Fields {
 public:
  explicit Fields(const EncodedImage& image) : image_(image) {}

  [[nodiscard]] std::uint8_t byte(Index at) const {
    if (at < 0 || at >= static_cast<Index>(image_.bytes.size()))
      data_error("bmp", image_.name, "truncated");
    return image_.bytes[static_cast<std::size_t>(at)];
  }
  [[nodiscard]] std::uint32_t half(Index at) const { return byte(at) | byte(at + 1) << 8; }
  [[nodiscard]] std::uint32_t word(Index at) const { return half(at) | half(at + 2) << 16; }

 private:
  const EncodedImage& image_;
};

void check_compression(const EncodedImage& image, const Fields& fields, int bits) {
  const std::uint32_t compression = fields.word(kFileHeader + 16);
  if (compression == kUncompressed) return;
  const bool usual_masks =
      compression == kBitFields && bits == 32 && fields.word(kFileHeader + 40) == 0x00ff0000 &&
      fields.word(kFileHeader + 44) == 0x0000ff00 && fields.word(kFileHeader + 48) == 0x000000ff;
  if (!usual_masks) {
    data_error("bmp", image.name,
               "compression {} is not supported; save it uncompressed, or as PNG", compression);
  }
}

void read_palette(const Fields& fields, Index at, Index entry_bytes, Index colours,
                  Header& header) {
  for (Index i = 0; i < colours; ++i) {
    const Index entry = at + i * entry_bytes;
    header.palette.push_back({fields.byte(entry), fields.byte(entry + 1), fields.byte(entry + 2)});
  }
  const bool grey = std::all_of(header.palette.begin(), header.palette.end(), [](const Colour& c) {
    return c.red == c.green && c.green == c.blue;
  });
  header.shape.channels = grey ? 1 : 3;
}

Header read_header(const EncodedImage& image) {
  const Fields fields(image);
  Header header;
  const Index info_bytes = fields.word(kFileHeader);
  const bool core = info_bytes == 12;  // OS/2
  if (!core && (info_bytes < 40 || info_bytes > 124))
    data_error("bmp", image.name, "unknown header of {} bytes", info_bytes);
  Index height = core ? Index{fields.half(20)} : Index{static_cast<std::int32_t>(fields.word(22))};
  header.top_down = height < 0;
  height = std::abs(height);
  const Index width =
      core ? Index{fields.half(18)} : Index{static_cast<std::int32_t>(fields.word(18))};
  check_sides(image, height, width);
  header.shape = {height, width, 3};
  header.bits = static_cast<int>(fields.half(core ? 24 : 28));
  constexpr std::array<int, 5> kDepths = {1, 4, 8, 24, 32};
  if (std::find(kDepths.begin(), kDepths.end(), header.bits) == kDepths.end())
    data_error("bmp", image.name, "{} bits per pixel are not supported", header.bits);
  if (!core) check_compression(image, fields, header.bits);
  header.pixels_at = fields.word(10);
  header.row_bytes = (width * header.bits + 31) / 32 * 4;
  if (header.row_bytes * height > image.file_size - header.pixels_at) {
    data_error("bmp", image.name, "truncated: {} x {} pixels do not fit into {} bytes", width,
               height, image.file_size);
  }
  if (header.bits <= 8) {
    const Index most = Index{1} << header.bits;
    const Index used = core ? 0 : fields.word(46);
    read_palette(fields, kFileHeader + info_bytes, core ? 3 : 4,
                 used == 0 ? most : std::min(used, most), header);
  }
  return header;
}

Colour pixel_at(const EncodedImage& image, const Header& header, const Fields& fields, Index row,
                Index x) {
  if (header.bits > 8) {
    const Index at = row + x * header.bits / 8;
    return {fields.byte(at), fields.byte(at + 1), fields.byte(at + 2)};
  }
  const int per_byte = 8 / header.bits;
  const int shift = 8 - header.bits * (static_cast<int>(x % per_byte) + 1);
  const int index = (fields.byte(row + x / per_byte) >> shift) & ((1 << header.bits) - 1);
  if (index >= static_cast<int>(header.palette.size())) {
    data_error("bmp", image.name, "colour {} is outside the palette of {}", index,
               header.palette.size());
  }
  return header.palette[static_cast<std::size_t>(index)];
}

}  // namespace

ImageShape bmp_shape(const EncodedImage& image) { return read_header(image).shape; }

Image decode_bmp(const EncodedImage& image) {
  const Header header = read_header(image);
  const Fields fields(image);
  const ImageShape shape = header.shape;
  Image decoded{shape, Bytes(static_cast<std::size_t>(shape.values()))};
  for (Index y = 0; y < shape.height; ++y) {
    const Index line = header.top_down ? y : shape.height - 1 - y;
    const Index row = header.pixels_at + line * header.row_bytes;
    for (Index x = 0; x < shape.width; ++x) {
      const Colour colour = pixel_at(image, header, fields, row, x);
      std::uint8_t* out = decoded.pixels.data() + y * shape.width + x;
      out[0] = colour.red;
      if (shape.channels == 1) continue;
      out[shape.pixels()] = colour.green;
      out[2 * shape.pixels()] = colour.blue;
    }
  }
  return decoded;
}

}  // namespace krica
