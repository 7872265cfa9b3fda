// SPDX-License-Identifier: BSD-3-Clause
//
// Images with edges in all directions, of one size or several, and all descriptors of one.
#pragma once

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/runtime/context.hpp"
#include "patches/local_descriptors.hpp"

namespace krica::support {

/// Overlapping waves and noise, in bytes.
inline std::vector<float> photo(ImageShape shape, std::uint64_t number = 0) {
  Random random(11, "tests.photo", number);
  const double phase = 6 * random.uniform();
  std::vector<float> image;
  for (Index c = 0; c < shape.channels; ++c) {
    for (Index y = 0; y < shape.height; ++y) {
      for (Index x = 0; x < shape.width; ++x) {
        const auto u = static_cast<double>(x);
        const auto v = static_cast<double>(y);
        const double value = 120 + 50 * std::sin(0.41 * u + 0.13 * v + phase) +
                             40 * std::cos(0.02 * u * v + static_cast<double>(c)) +
                             8 * random.normal();
        image.push_back(static_cast<float>(std::floor(std::min(255.0, std::max(0.0, value)))));
      }
    }
  }
  return image;
}

/// Photos of the given shapes.
class VariedImages final : public ImageSet {
 public:
  VariedImages(const std::vector<ImageShape>& shapes, std::vector<int> labels)
      : ImageSet(info_of(shapes, std::move(labels))), shapes_(shapes) {}

  [[nodiscard]] std::vector<float> pixels(Index i) const {
    return photo(shapes_[static_cast<std::size_t>(i)], static_cast<std::uint64_t>(i));
  }
  [[nodiscard]] ImageSetPtr shared() const { return {ImageSetPtr(), this}; }

 private:
  static ImageSetInfo info_of(std::vector<ImageShape> shapes, std::vector<int> labels) {
    ImageSetInfo info;
    info.size = static_cast<Index>(shapes.size());
    info.shapes = std::move(shapes);
    info.shape = take_common_shape(info.shapes);
    info.labels = std::move(labels);
    info.class_names = {"one", "two"};
    if (info.labels.empty()) info.class_names.clear();
    info.preparation.size_rule = ImageSizeRule::kWithin;
    info.preparation.longest_side = 300;
    return info;
  }
  void load_bytes(Index first, Index count, std::uint8_t* out) const override {
    for (Index i = first; i < first + count; ++i, out += shape().values()) {
      const std::vector<float> image = pixels(i);
      std::fill(out, out + shape().values(), std::uint8_t{0});
      std::transform(image.begin(), image.end(), out,
                     [](float value) { return static_cast<std::uint8_t>(value); });
    }
  }

  std::vector<ImageShape> shapes_;
};

/// All descriptors of an image, row by row.
inline Matrix<float> descriptors_of(const LocalDescriptors& descriptors,
                                    const std::vector<float>& image, const ImageShape& shape) {
  const Positions positions = descriptors.positions(shape);
  std::vector<PositionRun> runs;
  for (Index row = 0; row < positions.rows; ++row) runs.push_back({row, 0, positions.cols});
  Matrix<float> read(positions.count(), descriptors.dimensions());
  std::vector<float> memory;
  descriptors.read(descriptors.prepared(image.data(), shape, memory), shape, runs, read);
  return read;
}

}  // namespace krica::support
