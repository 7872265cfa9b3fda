// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "joint/augmentation.hpp"
#include "krica/runtime/error.hpp"

namespace krica {
namespace {

constexpr ImageShape kShape = {2, 3, 2};

std::vector<float> counting(const ImageShape& shape) {
  std::vector<float> pixels(static_cast<std::size_t>(shape.values()));
  std::iota(pixels.begin(), pixels.end(), 0.0F);
  return pixels;
}

TEST(Augmentation, ShiftReflectsAtTheBorders) {
  std::vector<float> pixels = counting({3, 3, 1});
  shift_reflected({3, 3, 1}, 1, -2, pixels.data());
  // Rows 1, 2, 1 (row 3 is row 1 again); columns 2, 1, 0.
  EXPECT_EQ(pixels, (std::vector<float>{5, 4, 3, 8, 7, 6, 5, 4, 3}));
}

TEST(Augmentation, ChannelsMoveAlike) {
  std::vector<float> pixels = counting(kShape);
  shift_reflected(kShape, 1, 1, pixels.data());
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(pixels[i] + 6, pixels[6 + i]);
}

TEST(Augmentation, FlipsAreTheImageOrItsMirror) {
  const std::vector<float> mirror = {2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9};
  std::set<std::vector<float>> seen;
  for (std::uint64_t i = 0; i < 20; ++i) {
    std::vector<float> pixels = counting(kShape);
    Random random(1, "tests.augment", i);
    alter(draw_alteration({.flips = true}, random), kShape, pixels.data());
    seen.insert(pixels);
  }
  EXPECT_EQ(seen, (std::set<std::vector<float>>{counting(kShape), mirror}));
}

TEST(Augmentation, CropsReachEveryShift) {
  std::set<std::vector<float>> seen;
  for (std::uint64_t i = 0; i < 300; ++i) {
    std::vector<float> pixels = counting({4, 4, 1});
    Random random(1, "tests.augment", i);
    alter(draw_alteration({.crops = 2}, random), {4, 4, 1}, pixels.data());
    seen.insert(pixels);
  }
  EXPECT_EQ(seen.size(), 25U);
}

TEST(Augmentation, RefusesCropsThatDoNotFit) {
  EXPECT_THROW((Augmentation{.crops = 2}).validate(kShape), InvalidArgument);
  EXPECT_THROW((Augmentation{.crops = -1}).validate(kShape), InvalidArgument);
  EXPECT_NO_THROW((Augmentation{.crops = 1}).validate(kShape));
}

}  // namespace
}  // namespace krica
