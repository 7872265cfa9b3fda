// SPDX-License-Identifier: BSD-3-Clause
#include "report/canvas.hpp"

#include <algorithm>
#include <cmath>

#include "report/font.hpp"

namespace krica {
namespace {

/// Calls visit(character) for every code point, with '?' for those outside printable ASCII.
template <class Visit>
void for_characters(std::string_view text, Visit visit) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) == 0x80U) continue;  // continuation byte of a code point
    visit(byte >= kFirstGlyph && byte <= kLastGlyph ? c : '?');
  }
}

}  // namespace

Index text_width(std::string_view text, Index scale) {
  Index characters = 0;
  for_characters(text, [&](char) { ++characters; });
  return characters * (kGlyphColumns + 1) * scale;
}

Canvas::Canvas(Index height, Index width) : image_{{height, width, 3}, {}} {
  image_.pixels.assign(static_cast<std::size_t>(image_.shape.values()), 255);
}

void Canvas::blend(Index y, Index x, Colour colour, double weight) {
  if (y < 0 || y >= height() || x < 0 || x >= width()) return;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto plane = c * static_cast<std::size_t>(image_.shape.pixels());
    std::uint8_t& pixel = image_.pixels[plane + static_cast<std::size_t>(y * width() + x)];
    pixel = static_cast<std::uint8_t>(std::lround((1 - weight) * pixel + weight * colour[c]));
  }
}

void Canvas::rectangle(Index top, Index left, Index height, Index width, Colour colour) {
  for (Index y = top; y < top + height; ++y)
    for (Index x = left; x < left + width; ++x) blend(y, x, colour, 1);
}

void Canvas::picture(Index top, Index left, const Image& image, Index zoom) {
  const ImageShape& shape = image.shape;
  for (Index y = 0; y < shape.height * zoom; ++y) {
    for (Index x = 0; x < shape.width * zoom; ++x) {
      Colour colour{};
      for (Index c = 0; c < 3; ++c) {
        const Index plane = shape.channels == 3 ? c * shape.pixels() : 0;
        colour[static_cast<std::size_t>(c)] =
            image.pixels[static_cast<std::size_t>(plane + y / zoom * shape.width + x / zoom)];
      }
      blend(top + y, left + x, colour, 1);
    }
  }
}

void Canvas::line(double y0, double x0, double y1, double x1, Colour colour) {
  const bool steep = std::abs(y1 - y0) > std::abs(x1 - x0);
  double a0 = steep ? y0 : x0;  // along the longer side
  double b0 = steep ? x0 : y0;
  double a1 = steep ? y1 : x1;
  double b1 = steep ? x1 : y1;
  if (a1 < a0) {
    std::swap(a0, a1);
    std::swap(b0, b1);
  }
  const double slope = a1 > a0 ? (b1 - b0) / (a1 - a0) : 0;
  for (auto a = static_cast<Index>(std::lround(a0)); a <= static_cast<Index>(std::lround(a1));
       ++a) {
    const double b = b0 + slope * (std::clamp(static_cast<double>(a), a0, a1) - a0);
    const double below = std::floor(b);
    for (const Index side : {Index{0}, Index{1}}) {
      const Index at = static_cast<Index>(below) + side;
      const double weight = side == 0 ? 1 - (b - below) : b - below;
      blend(steep ? a : at, steep ? at : a, colour, weight);
    }
  }
}

void Canvas::text(Index top, Index left, std::string_view text, Index scale, Colour colour) {
  for_characters(text, [&](char c) {
    for (Index column = 0; column < kGlyphColumns; ++column) {
      const unsigned bits = glyph_column(c, column);
      for (Index row = 0; row < kTextHeight; ++row) {
        if ((bits >> row & 1U) != 0)
          rectangle(top + row * scale, left + column * scale, scale, scale, colour);
      }
    }
    left += (kGlyphColumns + 1) * scale;
  });
}

}  // namespace krica
