// SPDX-License-Identifier: BSD-3-Clause
#include "joint/augmentation.hpp"

#include <algorithm>

#include "data/mirror.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

/// -1 becomes 1, size becomes size - 2.
Index reflected(Index at, Index size) {
  if (at < 0) return -at;
  return at < size ? at : 2 * (size - 1) - at;
}

}  // namespace

void Augmentation::validate(const ImageShape& shape) const {
  require(crops >= 0 && crops < std::min(shape.height, shape.width), "augment",
          "crops must be >= 0 and less than the images' sides ({} x {}), got {}", shape.height,
          shape.width, crops);
}

Alteration draw_alteration(const Augmentation& augmentation, Random& random) {
  Alteration alteration;
  alteration.mirrored = augmentation.flips && random.below(2) == 1;
  if (augmentation.crops == 0) return alteration;
  const Index steps = 2 * augmentation.crops + 1;
  alteration.down = random.below(steps) - augmentation.crops;
  alteration.right = random.below(steps) - augmentation.crops;
  return alteration;
}

void alter(const Alteration& alteration, const ImageShape& shape, float* pixels) {
  if (alteration.mirrored) mirror_image(shape, pixels);
  if (alteration.down != 0 || alteration.right != 0)
    shift_reflected(shape, alteration.down, alteration.right, pixels);
}

void shift_reflected(const ImageShape& shape, Index down, Index right, float* pixels) {
  std::vector<float> moved(static_cast<std::size_t>(shape.pixels()));
  for (Index channel = 0; channel < shape.channels; ++channel) {
    float* plane = pixels + channel * shape.pixels();
    for (Index y = 0; y < shape.height; ++y) {
      const float* row = plane + reflected(y + down, shape.height) * shape.width;
      for (Index x = 0; x < shape.width; ++x) {
        moved[static_cast<std::size_t>(y * shape.width + x)] =
            row[reflected(x + right, shape.width)];
      }
    }
    std::copy(moved.begin(), moved.end(), plane);
  }
}

}  // namespace krica
