// SPDX-License-Identifier: BSD-3-Clause
#include "data/resize.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

namespace krica {
namespace {

/// The input weights of one output position along an axis.
struct Taps {
  std::vector<Index> positions;
  std::vector<float> weights;  // they sum to 1
};

/// Output position i covers [offset + i·scale, offset + (i + 1)·scale) of the input. Positions
/// outside the input repeat its border.
Taps taps_of(Index i, double offset, double scale, Index length) {
  Taps taps;
  const auto add = [&](double position, double weight) {
    if (weight <= 0) return;
    taps.positions.push_back(
        std::clamp<Index>(static_cast<Index>(std::floor(position)), 0, length - 1));
    taps.weights.push_back(static_cast<float>(weight));
  };
  const double begin = offset + static_cast<double>(i) * scale;
  if (scale < 1) {  // bilinear between the two pixels with the nearest centres
    const double centre = begin + scale / 2 - 0.5;
    const double left = std::floor(centre);
    add(left, 1 - (centre - left));
    add(left + 1, centre - left);
    return taps;
  }
  const double end = begin + scale;
  const auto last = static_cast<Index>(std::ceil(end));
  for (auto pixel = static_cast<Index>(std::floor(begin)); pixel < last; ++pixel) {
    const auto left = static_cast<double>(pixel);
    add(left, (std::min(left + 1, end) - std::max(left, begin)) / scale);
  }
  return taps;
}

std::vector<Taps> axis_taps(Index size, Index length, double scale) {
  const double offset = (static_cast<double>(length) - scale * static_cast<double>(size)) / 2;
  std::vector<Taps> axis;
  for (Index i = 0; i < size; ++i) axis.push_back(taps_of(i, offset, scale, length));
  return axis;
}

/// Input pixels per output pixel along an axis of `length`.
double scale_of(Index length, ImageShape from, Index size, ImageSizeRule rule) {
  if (rule == ImageSizeRule::kShorter) length = std::min(from.height, from.width);
  if (rule == ImageSizeRule::kLonger) length = std::max(from.height, from.width);
  return static_cast<double>(length) / static_cast<double>(size);
}

template <class Pixel>
Pixel to_pixel(float value) {
  if constexpr (std::is_same_v<Pixel, float>) {
    return value;
  } else {
    // In double the half is added exactly, so this rounds like std::lround, without a call.
    // NOLINTNEXTLINE(bugprone-incorrect-roundings)
    return static_cast<Pixel>(static_cast<double>(std::clamp(value, 0.0F, 255.0F)) + 0.5);
  }
}

}  // namespace

template <class Pixel>
void resize_image(const Pixel* in, ImageShape from, ImageShape to, ImageSizeRule rule, Pixel* out) {
  const auto rows = axis_taps(to.height, from.height, scale_of(from.height, from, to.height, rule));
  const auto columns = axis_taps(to.width, from.width, scale_of(from.width, from, to.width, rule));
  std::vector<float> line(static_cast<std::size_t>(from.width));
  for (Index c = 0; c < from.channels; ++c) {
    const Pixel* plane = in + c * from.pixels();
    for (const Taps& row : rows) {
      std::fill(line.begin(), line.end(), 0.0F);
      for (std::size_t t = 0; t < row.positions.size(); ++t) {
        const Pixel* source = plane + row.positions[t] * from.width;
        for (std::size_t x = 0; x < line.size(); ++x)
          line[x] += row.weights[t] * static_cast<float>(source[x]);
      }
      for (const Taps& column : columns) {
        float sum = 0;
        for (std::size_t t = 0; t < column.positions.size(); ++t)
          sum += column.weights[t] * line[static_cast<std::size_t>(column.positions[t])];
        *out++ = to_pixel<Pixel>(sum);
      }
    }
  }
}

template <class Pixel>
void change_channels(const Pixel* in, ImageShape from, Index channels, Pixel* out) {
  const Index pixels = from.pixels();
  if (from.channels == channels) {
    std::copy_n(in, from.values(), out);
  } else if (channels == 3) {
    for (Index c = 0; c < 3; ++c) std::copy_n(in, pixels, out + c * pixels);
  } else {
    for (Index i = 0; i < pixels; ++i) {
      const auto red = static_cast<float>(in[i]);
      const auto green = static_cast<float>(in[pixels + i]);
      const auto blue = static_cast<float>(in[2 * pixels + i]);
      out[i] = to_pixel<Pixel>(0.299F * red + 0.587F * green + 0.114F * blue);
    }
  }
}

#define KRICA_INSTANTIATE(Pixel)                                                           \
  template void resize_image(const Pixel*, ImageShape, ImageShape, ImageSizeRule, Pixel*); \
  template void change_channels(const Pixel*, ImageShape, Index, Pixel*)
KRICA_INSTANTIATE(std::uint8_t);
KRICA_INSTANTIATE(float);
#undef KRICA_INSTANTIATE

}  // namespace krica
