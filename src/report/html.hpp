// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "krica/data/image.hpp"

namespace krica {

/// Escapes text for an element or an attribute.
std::string escaped(std::string_view text);

/// An img element with the embedded image, at `zoom` CSS pixels per pixel if there is room.
std::string image_element(const Image& image, const std::string& description, Index zoom = 1);

/// A colour as #rrggbb.
struct PageColour {
  int red = 0;
  int green = 0;
  int blue = 0;
  [[nodiscard]] std::string css() const;
  /// Black or white, whichever is more readable on it; the contrast is at least 4.5.
  [[nodiscard]] std::string text_css() const;
};

/// From white to dark blue, 0 ... 1: for counts.
PageColour count_colour(double part);
/// Cividis, from dark blue to yellow, 0 ... 1: for quantities, suitable for colour-blind readers.
PageColour scale_colour(double part);

}  // namespace krica
