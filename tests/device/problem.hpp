// SPDX-License-Identifier: BSD-3-Clause
//
// Random problems for the tests and benchmarks: generated images, atoms and whitening.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "device/specs.hpp"

namespace krica::device {

/// Smooth waves with noise: patches of very different contrast, some with none.
inline std::vector<std::uint8_t> random_images(int count, int channels, int height, int width,
                                               unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<std::uint8_t> images;
  images.reserve(static_cast<std::size_t>(count) * static_cast<std::size_t>(channels) *
                 static_cast<std::size_t>(height) * static_cast<std::size_t>(width));
  for (int i = 0; i < count; ++i) {
    const float noise = 40 * uniform(random);
    const float fx = 0.1F + uniform(random);
    const float fy = 0.1F + uniform(random);
    for (int c = 0; c < channels; ++c) {
      const float level = 255 * uniform(random);
      const float size = 120 * uniform(random);
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          const float wave =
              size * std::sin(fx * static_cast<float>(x) + fy * static_cast<float>(y));
          float value = level + wave + noise * (uniform(random) - 0.5F);
          if (x < width / 4 && y < height / 4) value = 255;  // no contrast
          images.push_back(static_cast<std::uint8_t>(std::clamp(value, 0.0F, 255.0F)));
        }
      }
    }
  }
  return images;
}

struct Problem {
  PatchSpec patch;
  PoolSpec pool;
  AtomSpec atoms;
  int stride = 1;
  std::vector<float> transform;
  std::vector<float> offset;
  std::vector<float> W;
  std::vector<float> shapes;

  Problem(int channels, int height, int width, int field, int stride_of, int rows, int cols,
          CodeKind kind, int count, unsigned seed, int outputs = -1, bool overlap = false) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    stride = stride_of;
    patch.channels = channels;
    patch.height = height;
    patch.width = width;
    patch.field = field;
    const int n = patch.inputs();
    patch.outputs = outputs < 0 ? n : outputs;
    const auto side = static_cast<std::size_t>(patch.outputs);
    transform.resize(static_cast<std::size_t>(n) * side);
    offset.resize(side);
    for (int k = 0; k < n; ++k) {
      for (int o = 0; o < patch.outputs; ++o)
        transform[static_cast<std::size_t>(k) * side + static_cast<std::size_t>(o)] =
            (k == o ? 1.5F : 0.0F) + 0.7F * normal(random) / std::sqrt(static_cast<float>(n));
    }
    for (float& value : offset) value = 0.05F * normal(random);
    pool = pooling_grid(patch, stride, rows, cols, overlap);
    const int values = patch.values();
    W.resize(static_cast<std::size_t>(count) * static_cast<std::size_t>(values));
    for (int u = 0; u < count; ++u) {
      float* w = W.data() + static_cast<std::size_t>(u) * static_cast<std::size_t>(values);
      float squares = 0;
      for (int k = 0; k < values; ++k) {
        w[k] = normal(random);
        squares += w[k] * w[k];
      }
      for (int k = 0; k < values; ++k)
        w[k] *= (0.8F + 0.02F * static_cast<float>(u % 20)) / std::sqrt(squares);
    }
    shapes.resize(static_cast<std::size_t>(count));
    std::uniform_real_distribution<float> uniform(0, 1);
    for (float& value : shapes)
      value = kind == CodeKind::kGaussian ? 1 + 4 * uniform(random) : 0.2F * uniform(random);
    atoms.kind = kind;
    atoms.count = count;
    atoms.scale = 0.7F;
  }

  /// With the pointers set; call after moving.
  [[nodiscard]] PatchSpec patch_spec() const {
    PatchSpec spec = patch;
    spec.transform = transform.data();
    spec.offset = offset.data();
    return spec;
  }
  [[nodiscard]] AtomSpec atom_spec() const {
    AtomSpec spec = atoms;
    spec.W = W.data();
    spec.shapes = shapes.data();
    return spec;
  }
};

}  // namespace krica::device
