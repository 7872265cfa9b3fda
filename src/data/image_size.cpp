// SPDX-License-Identifier: BSD-3-Clause
#include "data/image_size.hpp"

#include <algorithm>

namespace krica {
namespace {

constexpr Index kSmallSide = 48;    // images up to this size are not resized
constexpr Index kCommonSide = 48;   // keeps more of photographs than 32, and is still fast
constexpr Index kSmallestSide = 8;  // leaves room for patches

}  // namespace

Index automatic_image_size(const std::vector<ImageShape>& shapes) {
  if (shapes.empty()) return 0;
  const ImageShape first = shapes.front();
  const bool alike = std::all_of(shapes.begin(), shapes.end(), [&](const ImageShape& shape) {
    return shape.height == first.height && shape.width == first.width;
  });
  if (alike && std::max(first.height, first.width) <= kSmallSide) return 0;
  std::vector<Index> sides;
  sides.reserve(shapes.size());
  for (const ImageShape& shape : shapes) sides.push_back(std::min(shape.height, shape.width));
  std::nth_element(sides.begin(), sides.begin() + static_cast<std::ptrdiff_t>(sides.size() / 2),
                   sides.end());
  return std::min(kCommonSide, std::max(kSmallestSide, sides[sides.size() / 2]));
}

}  // namespace krica
