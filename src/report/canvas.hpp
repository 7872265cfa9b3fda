// SPDX-License-Identifier: BSD-3-Clause
//
// A colour image to draw on: rectangles, images, lines and short texts.
#pragma once

#include <array>
#include <string_view>

#include "krica/data/image.hpp"

namespace krica {

using Colour = std::array<std::uint8_t, 3>;

inline constexpr Colour kWhite = {255, 255, 255};
inline constexpr Colour kInk = {40, 40, 40};
inline constexpr Colour kFaint = {205, 205, 205};

/// Width in pixels of a line of text at the given scale; a character outside ASCII counts as one.
Index text_width(std::string_view text, Index scale);
inline constexpr Index kTextHeight = 8;  ///< at scale 1, with descenders

class Canvas {
 public:
  /// Starts white. Drawing outside is clipped.
  Canvas(Index height, Index width);

  [[nodiscard]] Index height() const { return image_.shape.height; }
  [[nodiscard]] Index width() const { return image_.shape.width; }

  void rectangle(Index top, Index left, Index height, Index width, Colour colour);
  /// Grey or colour, enlarged `zoom` times.
  void picture(Index top, Index left, const Image& image, Index zoom = 1);
  /// Anti-aliased, one pixel wide, between points given in pixels.
  void line(double y0, double x0, double y1, double x1, Colour colour);
  /// (top, left) is the upper left corner of the first character.
  void text(Index top, Index left, std::string_view text, Index scale = 1, Colour colour = kInk);

  Image take() { return std::move(image_); }

 private:
  /// Blends the colour into a pixel; weight 0 ... 1.
  void blend(Index y, Index x, Colour colour, double weight);

  Image image_;
};

}  // namespace krica
