// SPDX-License-Identifier: BSD-3-Clause
#include "krica/report/atoms.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr Index kGap = 1;
constexpr std::uint8_t kBackground = 255;

std::uint8_t shade(float value, float largest) {
  const float unit = largest > 0 ? value / largest : 0.0F;  // -1 ... 1
  return static_cast<std::uint8_t>(std::lround(127.5F + 127.5F * std::clamp(unit, -1.0F, 1.0F)));
}

}  // namespace

Image draw_atoms(ConstMatrixView<float> atoms, Index side, Index channels, Index zoom) {
  require(atoms.rows() > 0 && side > 0 && zoom > 0 && (channels == 1 || channels == 3), "atoms",
          "{} atoms of side {} with {} channel(s) at zoom {}", atoms.rows(), side, channels, zoom);
  require(atoms.cols() == side * side * channels, "atoms",
          "atoms of {} values are not {} x {} x {}", atoms.cols(), side, side, channels);
  const auto columns = static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(atoms.rows()))));
  const Index rows = (atoms.rows() + columns - 1) / columns;
  const Index tile = side * zoom;
  Image sheet{{rows * (tile + kGap) + kGap, columns * (tile + kGap) + kGap, channels}, {}};
  sheet.pixels.assign(static_cast<std::size_t>(sheet.shape.values()), kBackground);
  for (Index u = 0; u < atoms.rows(); ++u) {
    const float* atom = atoms.data() + u * atoms.outerStride();
    float largest = 0;
    for (Index j = 0; j < atoms.cols(); ++j) largest = std::max(largest, std::abs(atom[j]));
    const Index top = kGap + u / columns * (tile + kGap);
    const Index left = kGap + u % columns * (tile + kGap);
    for (Index c = 0; c < channels; ++c) {
      for (Index y = 0; y < tile; ++y) {
        for (Index x = 0; x < tile; ++x) {
          const float value = atom[c * side * side + y / zoom * side + x / zoom];
          const Index place = c * sheet.shape.pixels() + (top + y) * sheet.shape.width + left + x;
          sheet.pixels[static_cast<std::size_t>(place)] = shade(value, largest);
        }
      }
    }
  }
  return sheet;
}

}  // namespace krica
