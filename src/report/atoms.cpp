// SPDX-License-Identifier: BSD-3-Clause
#include "report/atoms.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr Index kGap = 1;
constexpr Index kGroupGap = 6;  // additional, between groups
constexpr std::uint8_t kBackground = 255;

std::uint8_t shade(float value, float largest) {
  const float unit = largest > 0 ? value / largest : 0.0F;  // -1 ... 1
  return static_cast<std::uint8_t>(std::lround(127.5F + 127.5F * std::clamp(unit, -1.0F, 1.0F)));
}

/// A sheet with room for rows × columns tiles.
class Sheet {
 public:
  Sheet(ConstMatrixView<float> atoms, Index side, Index channels, Index zoom, Index columns,
        Index height)
      : atoms_(std::move(atoms)),
        side_(side),
        zoom_(zoom),
        image_{{height, columns * pitch() + kGap, channels}, {}} {
    image_.pixels.assign(static_cast<std::size_t>(image_.shape.values()), kBackground);
  }

  /// Distance between tiles in pixels.
  [[nodiscard]] Index pitch() const { return side_ * zoom_ + kGap; }

  /// Draws the atom's tile with its upper left pixel at (top, left).
  void draw(Index atom, Index top, Index left) {
    const float* values = atoms_.data() + atom * atoms_.outerStride();
    float largest = 0;
    for (Index j = 0; j < atoms_.cols(); ++j) largest = std::max(largest, std::abs(values[j]));
    const Index tile = side_ * zoom_;
    for (Index c = 0; c < image_.shape.channels; ++c) {
      for (Index y = 0; y < tile; ++y) {
        for (Index x = 0; x < tile; ++x) {
          const float value = values[c * side_ * side_ + y / zoom_ * side_ + x / zoom_];
          const Index place = c * image_.shape.pixels() + (top + y) * image_.shape.width + left + x;
          image_.pixels[static_cast<std::size_t>(place)] = shade(value, largest);
        }
      }
    }
  }

  Image take() { return std::move(image_); }

 private:
  ConstMatrixView<float> atoms_;
  Index side_;
  Index zoom_;
  Image image_;
};

void check(ConstMatrixView<float> atoms, Index side, Index channels, Index zoom) {
  require(atoms.rows() > 0 && side > 0 && zoom > 0 && (channels == 1 || channels == 3), "atoms",
          "{} atoms of side {} with {} channel(s) at zoom {}", atoms.rows(), side, channels, zoom);
  require(atoms.cols() == side * side * channels, "atoms",
          "atoms of {} values are not {} x {} x {}", atoms.cols(), side, side, channels);
}

Index columns_for(Index atoms) {
  return static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(atoms))));
}

}  // namespace

Image draw_atoms(ConstMatrixView<float> atoms, Index side, Index channels, Index zoom) {
  std::vector<Index> all(static_cast<std::size_t>(atoms.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  return draw_atom_groups(atoms, side, channels, {all}, zoom);
}

Image draw_atom_groups(ConstMatrixView<float> atoms, Index side, Index channels,
                       const std::vector<std::vector<Index>>& groups, Index zoom) {
  check(atoms, side, channels, zoom);
  const Index columns = columns_for(atoms.rows());
  const Index pitch = side * zoom + kGap;
  // The top of each group's first line, and the end of the last.
  std::vector<Index> tops = {kGap};
  for (const auto& group : groups) {
    const Index lines = (static_cast<Index>(group.size()) + columns - 1) / columns;
    tops.push_back(tops.back() + lines * pitch + (lines > 0 ? kGroupGap : 0));
  }
  Sheet sheet(atoms, side, channels, zoom, columns, tops.back() - kGroupGap);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t i = 0; i < groups[g].size(); ++i) {
      require(groups[g][i] >= 0 && groups[g][i] < atoms.rows(), "atoms",
              "atom {} is not in 0 ... {}", groups[g][i], atoms.rows() - 1);
      const auto place = static_cast<Index>(i);
      sheet.draw(groups[g][i], tops[g] + place / columns * pitch, kGap + place % columns * pitch);
    }
  }
  return sheet.take();
}

}  // namespace krica
