// SPDX-License-Identifier: BSD-3-Clause
#include "data/orientation.hpp"

#include <algorithm>

namespace krica {
namespace {

constexpr std::uint32_t kOrientationTag = 0x0112;
constexpr std::uint32_t kShortType = 3;
constexpr int kAsStored = 1;

/// Numbers at any offset; 0 past the end, which is never valid here.
class Fields {
 public:
  Fields(std::span<const std::uint8_t> bytes, bool little_endian)
      : bytes_(bytes), little_endian_(little_endian) {}

  [[nodiscard]] std::uint32_t number(std::size_t at, std::size_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
      value = value << 8 | bytes_[at + (little_endian_ ? count - 1 - i : i)];
    return value;
  }

  [[nodiscard]] bool has_text(std::size_t at, std::string_view text) const {
    return at <= bytes_.size() && text.size() <= bytes_.size() - at &&
           std::equal(text.begin(), text.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(at));
  }

 private:
  std::span<const std::uint8_t> bytes_;
  bool little_endian_;
};

using namespace std::string_view_literals;
constexpr std::string_view kExifPrefix = "Exif\0\0"sv;

/// The block, with or without the prefix that JPEG requires and others may have.
int orientation_in(std::span<const std::uint8_t> block) {
  if (Fields(block, false).has_text(0, kExifPrefix)) block = block.subspan(kExifPrefix.size());
  return exif_orientation(block);
}

/// At most `count` bytes from `at` on.
std::span<const std::uint8_t> slice(std::span<const std::uint8_t> bytes, std::size_t at,
                                    std::size_t count) {
  if (at >= bytes.size()) return {};
  return bytes.subspan(at, std::min(count, bytes.size() - at));
}

}  // namespace

int exif_orientation(std::span<const std::uint8_t> tiff) {
  const Fields big(tiff, false);
  const bool little_endian = big.has_text(0, "II*\0"sv);
  if (!little_endian && !big.has_text(0, "MM\0*"sv)) return kAsStored;
  const Fields fields(tiff, little_endian);
  const std::size_t directory = fields.number(4, 4);
  const std::uint32_t entries = fields.number(directory, 2);
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + std::size_t{12} * i;
    if (fields.number(entry, 2) != kOrientationTag) continue;
    const std::uint32_t value = fields.number(entry + 8, 2);
    const bool valid = fields.number(entry + 2, 2) == kShortType && value >= 1 && value <= 8;
    return valid ? static_cast<int>(value) : kAsStored;
  }
  return kAsStored;
}

int jpeg_orientation(std::span<const std::uint8_t> file) {
  const Fields fields(file, false);
  for (std::size_t at = 2; fields.number(at, 1) == 0xff;) {
    const std::uint32_t marker = fields.number(at + 1, 1);
    if (marker == 0xff) {  // padding
      ++at;
      continue;
    }
    const bool image_data_begins = marker == 0xda || marker == 0xd9;
    const std::uint32_t length = fields.number(at + 2, 2);
    if (image_data_begins || length < 2) return kAsStored;
    if (marker == 0xe1 && fields.has_text(at + 4, kExifPrefix))
      return orientation_in(slice(file, at + 4, length - 2));
    at += 2 + length;
  }
  return kAsStored;
}

std::span<const std::uint8_t> png_chunk(std::span<const std::uint8_t> file, std::string_view name) {
  const Fields fields(file, false);
  for (std::size_t at = 8; at + 8 <= file.size();) {
    if (fields.has_text(at + 4, "IDAT")) break;
    const std::size_t length = fields.number(at, 4);
    if (fields.has_text(at + 4, name)) return slice(file, at + 8, length);
    at += 12 + length;
  }
  return {};
}

int png_orientation(std::span<const std::uint8_t> file) {
  return orientation_in(png_chunk(file, "eXIf"));
}

int webp_orientation(std::span<const std::uint8_t> file) {
  const Fields fields(file, true);
  for (std::size_t at = 12; at + 8 <= file.size();) {
    const std::size_t length = fields.number(at + 4, 4);
    if (fields.has_text(at, "EXIF")) return orientation_in(slice(file, at + 8, length));
    at += 8 + length + length % 2;
  }
  return kAsStored;
}

ImageShape turned(ImageShape shape, int orientation) {
  if (orientation >= 5) std::swap(shape.height, shape.width);
  return shape;
}

Image turned(Image image, int orientation) {
  if (orientation <= kAsStored || orientation > 8) return image;
  const ImageShape from = image.shape;
  const ImageShape to = turned(from, orientation);
  // How stored rows and columns are mapped: 5 to 8 swap them, and each may be reversed.
  const bool swapped = orientation >= 5;
  const bool rows_backwards =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool columns_backwards =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  Image result{to, std::vector<std::uint8_t>(image.pixels.size())};
  std::uint8_t* out = result.pixels.data();
  for (Index c = 0; c < to.channels; ++c) {
    const std::uint8_t* plane = image.pixels.data() + c * from.pixels();
    for (Index y = 0; y < to.height; ++y) {
      for (Index x = 0; x < to.width; ++x) {
        const Index row = swapped ? x : y;
        const Index column = swapped ? y : x;
        *out++ = plane[(rows_backwards ? from.height - 1 - row : row) * from.width +
                       (columns_backwards ? from.width - 1 - column : column)];
      }
    }
  }
  return result;
}

}  // namespace krica
