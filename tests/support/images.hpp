// SPDX-License-Identifier: BSD-3-Clause
//
// Small labelled image sets in memory.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/runtime/context.hpp"

namespace krica::support {

/// Images given as bytes, planar.
class MemoryImages final : public ImageSet {
 public:
  MemoryImages(ImageShape shape, std::vector<std::uint8_t> pixels, std::vector<int> labels,
               int classes)
      : ImageSet(info_of(shape, static_cast<Index>(pixels.size()) / shape.values(),
                         std::move(labels), classes)),
        pixels_(std::move(pixels)) {}

 private:
  static ImageSetInfo info_of(ImageShape shape, Index size, std::vector<int> labels, int classes) {
    ImageSetInfo info;
    info.size = size;
    info.shape = shape;
    info.labels = std::move(labels);
    for (int c = 0; c < classes; ++c) info.class_names.push_back("class " + std::to_string(c));
    return info;
  }
  void load_bytes(Index first, Index count, std::uint8_t* out) const override {
    std::copy_n(pixels_.begin() + first * shape().values(), count * shape().values(), out);
  }
  std::vector<std::uint8_t> pixels_;
};

/// The same images as floats: value * factor + offset. Keeps the bytes by reference.
class FloatImages final : public ImageSet {
 public:
  explicit FloatImages(const ImageSet& bytes, float factor = 1, float offset = 0)
      : ImageSet(info_of(bytes)), bytes_(bytes), factor_(factor), offset_(offset) {}

 private:
  static ImageSetInfo info_of(const ImageSet& bytes) {
    ImageSetInfo info = bytes.info();
    info.pixel_type = PixelType::kFloat32;
    return info;
  }
  void load_floats(Index first, Index count, float* out) const override {
    bytes_.read(first, count, out);
    for (Index i = 0; i < count * shape().values(); ++i) out[i] = out[i] * factor_ + offset_;
  }
  const ImageSet& bytes_;
  float factor_;
  float offset_;
};

/// Gratings whose orientation is the class, with random phase and noise: `size` images, classes in
/// turn.
inline MemoryImages gratings(Index size, int classes = 3, ImageShape shape = {12, 12, 1},
                             std::uint64_t seed = 1) {
  std::vector<std::uint8_t> pixels;
  std::vector<int> labels;
  for (Index i = 0; i < size; ++i) {
    Random random(seed, "tests.gratings", static_cast<std::uint64_t>(i));
    const int label = static_cast<int>(i % classes);
    const double angle = 3.14159265 * label / classes;
    const double phase = 6.2831853 * random.uniform();
    for (Index c = 0; c < shape.channels; ++c) {
      for (Index y = 0; y < shape.height; ++y) {
        for (Index x = 0; x < shape.width; ++x) {
          const double along =
              static_cast<double>(x) * std::cos(angle) + static_cast<double>(y) * std::sin(angle);
          const double value = 128 + 70 * std::sin(1.3 * along + phase) + 12 * random.normal();
          pixels.push_back(static_cast<std::uint8_t>(std::min(255.0, std::max(0.0, value))));
        }
      }
    }
    labels.push_back(label);
  }
  return {shape, std::move(pixels), std::move(labels), classes};
}

}  // namespace krica::support
