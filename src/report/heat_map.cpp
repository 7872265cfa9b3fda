// SPDX-License-Identifier: BSD-3-Clause
#include "report/heat_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr float kStrongest = 0.75F;  // opacity of the colour at the largest vote
constexpr std::array<float, 3> kFor = {214, 39, 40};
constexpr std::array<float, 3> kAgainst = {31, 119, 180};

/// The mean vote of the patches that cover each pixel, -1 ... 1.
Matrix<float> heat_of(const ImageShape& shape, ConstMatrixView<float> votes, Index field,
                      Index stride, PixelPlace first) {
  Matrix<float> heat(shape.height, shape.width);
  Matrix<float> count(shape.height, shape.width);
  for (Index row = 0; row < votes.rows(); ++row) {
    for (Index col = 0; col < votes.cols(); ++col) {
      const Index top = first.row + row * stride;
      const Index left = first.col + col * stride;
      for (Index y = top; y < top + field; ++y) {
        for (Index x = left; x < left + field; ++x) {
          heat(y, x) += votes(row, col);
          count(y, x) += 1;
        }
      }
    }
  }
  float largest = 0;
  for (Index e = 0; e < heat.size(); ++e) {
    if (count.data()[e] > 0) heat.data()[e] /= count.data()[e];
    largest = std::max(largest, std::abs(heat.data()[e]));
  }
  for (Index e = 0; e < heat.size() && largest > 0; ++e) heat.data()[e] /= largest;
  return heat;
}

float grey_of(const Image& image, Index pixel) {
  float sum = 0;
  for (Index c = 0; c < image.shape.channels; ++c)
    sum += image.pixels[static_cast<std::size_t>(c * image.shape.pixels() + pixel)];
  return sum / static_cast<float>(image.shape.channels);
}

}  // namespace

Image draw_heat_map(const Image& image, ConstMatrixView<float> votes, Index field, Index stride,
                    Index zoom, PixelPlace first) {
  const ImageShape& shape = image.shape;
  require(votes.rows() > 0 && votes.cols() > 0 && field > 0 && stride > 0 && zoom > 0 &&
              first.row + (votes.rows() - 1) * stride + field <= shape.height &&
              first.col + (votes.cols() - 1) * stride + field <= shape.width,
          "heat map", "{} x {} patches of {} pixels, {} apart, in an image of {} x {} at zoom {}",
          votes.rows(), votes.cols(), field, stride, shape.height, shape.width, zoom);
  const Matrix<float> heat = heat_of(shape, votes, field, stride, first);
  Image map{{shape.height * zoom, shape.width * zoom, 3}, {}};
  map.pixels.resize(static_cast<std::size_t>(map.shape.values()));
  for (Index y = 0; y < map.shape.height; ++y) {
    for (Index x = 0; x < map.shape.width; ++x) {
      const float value = heat(y / zoom, x / zoom);
      const float part = kStrongest * std::abs(value);
      const float grey = grey_of(image, y / zoom * shape.width + x / zoom);
      for (std::size_t c = 0; c < 3; ++c) {
        const float colour = value > 0 ? kFor[c] : kAgainst[c];
        map.pixels[c * static_cast<std::size_t>(map.shape.pixels()) +
                   static_cast<std::size_t>(y * map.shape.width + x)] =
            static_cast<std::uint8_t>(std::lround((1 - part) * grey + part * colour));
      }
    }
  }
  return map;
}

}  // namespace krica
