// SPDX-License-Identifier: BSD-3-Clause
#include <cctype>

#include "data/codec.hpp"
#include "data/errors.hpp"

namespace krica {
namespace {

/// Reads a PNM file sequentially.
class Scanner {
 public:
  explicit Scanner(const EncodedImage& image) : image_(image) {}

  /// The next number, after white space and comments.
  Index number() {
    skip_space();
    Index value = 0;
    const std::size_t begin = at_;
    for (; at_ < image_.bytes.size() && std::isdigit(image_.bytes[at_]) != 0; ++at_) {
      value = value * 10 + (image_.bytes[at_] - '0');
      if (value > 1000000) data_error("pnm", image_.name, "a number is too large");
    }
    if (at_ == begin) data_error("pnm", image_.name, "truncated: a number is missing");
    return value;
  }

  /// The next 0 or 1; in P1 they need no separator.
  int bit() {
    skip_space();
    const int digit = byte() - '0';
    if (digit != 0 && digit != 1) data_error("pnm", image_.name, "a pixel is neither 0 nor 1");
    return digit;
  }

  int byte() {
    if (at_ >= image_.bytes.size()) data_error("pnm", image_.name, "truncated");
    return image_.bytes[at_++];
  }

  [[nodiscard]] Index position() const { return static_cast<Index>(at_); }

 private:
  void skip_space() {
    while (at_ < image_.bytes.size()) {
      if (image_.bytes[at_] == '#') {
        while (at_ < image_.bytes.size() && image_.bytes[at_] != '\n') ++at_;
      } else if (std::isspace(image_.bytes[at_]) != 0) {
        ++at_;
      } else {
        return;
      }
    }
  }

  const EncodedImage& image_;
  std::size_t at_ = 2;  // after "P" and the kind
};

struct Header {
  int kind = 0;  // 1 to 6
  ImageShape shape;
  Index largest = 1;  // the value that maps to 255
};

/// The minimum number of bytes for the pixels.
Index least_bytes(const Header& header) {
  switch (header.kind) {
    case 1:
      return header.shape.pixels();
    case 4:
      return header.shape.height * ((header.shape.width + 7) / 8);
    case 2:
    case 3:
      return 2 * header.shape.values() - 1;  // a digit and a space
    default:
      return header.shape.values() * (header.largest > 255 ? 2 : 1);
  }
}

Header read_header(const EncodedImage& image, Scanner& scanner) {
  Header header;
  header.kind = image.bytes[1] - '0';
  header.shape.width = scanner.number();
  header.shape.height = scanner.number();
  header.shape.channels = header.kind == 3 || header.kind == 6 ? 3 : 1;
  check_sides(image, header.shape.height, header.shape.width);
  if (header.kind != 1 && header.kind != 4) header.largest = scanner.number();
  if (header.largest < 1 || header.largest > 65535) {
    data_error("pnm", image.name, "the largest value is {}, it must be 1 to 65535", header.largest);
  }
  if (header.kind >= 4) scanner.byte();  // one white space character ends the header
  if (least_bytes(header) > image.file_size - scanner.position()) {
    data_error("pnm", image.name, "truncated: {} x {} pixels do not fit into {} bytes",
               header.shape.width, header.shape.height, image.file_size);
  }
  return header;
}

Index read_value(const EncodedImage& image, const Header& header, Scanner& scanner) {
  Index value = 0;
  if (header.kind <= 3) {
    value = scanner.number();
  } else {
    value = scanner.byte();
    if (header.largest > 255) value = value * 256 + scanner.byte();
  }
  if (value > header.largest) {
    data_error("pnm", image.name, "a pixel is {}, more than the largest value {}", value,
               header.largest);
  }
  return (value * 255 + header.largest / 2) / header.largest;
}

/// P1 and P4: 1 is black.
void read_bits(const Header& header, Scanner& scanner, Image& image) {
  for (Index y = 0; y < header.shape.height; ++y) {
    int packed = 0;
    for (Index x = 0; x < header.shape.width; ++x) {
      if (header.kind == 4 && x % 8 == 0) packed = scanner.byte();
      const int bit = header.kind == 4 ? (packed >> (7 - x % 8)) & 1 : scanner.bit();
      image.pixels[static_cast<std::size_t>(y * header.shape.width + x)] = bit != 0 ? 0 : 255;
    }
  }
}

}  // namespace

ImageShape pnm_shape(const EncodedImage& image) {
  Scanner scanner(image);
  return read_header(image, scanner).shape;
}

Image decode_pnm(const EncodedImage& image) {
  Scanner scanner(image);
  const Header header = read_header(image, scanner);
  Image decoded{header.shape, Bytes(static_cast<std::size_t>(header.shape.values()))};
  if (header.kind == 1 || header.kind == 4) {
    read_bits(header, scanner, decoded);
    return decoded;
  }
  for (Index i = 0; i < header.shape.pixels(); ++i) {
    for (Index c = 0; c < header.shape.channels; ++c) {
      decoded.pixels[static_cast<std::size_t>(c * header.shape.pixels() + i)] =
          static_cast<std::uint8_t>(read_value(image, header, scanner));
    }
  }
  return decoded;
}

}  // namespace krica
