// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <vector>

#include "data/planes.hpp"
#include "support/instruction_sets.hpp"

namespace krica {
namespace {

constexpr std::uint8_t kUntouched = 7;

TEST(SplitColours, PutsEveryPixelInItsPlanesAndTouchesNothingElse) {
  for (Index count = 0; count <= 200; ++count) {
    std::vector<std::uint8_t> pixels;
    for (Index i = 0; i < 3 * count; ++i) pixels.push_back(static_cast<std::uint8_t>(i * 37 + 11));
    const Index distance = count + 5;
    support::with_every_instruction_set([&] {
      std::vector<std::uint8_t> planes(static_cast<std::size_t>(3 * distance), kUntouched);
      split_colours(pixels.data(), count, planes.data(), distance);
      for (Index c = 0; c < 3; ++c) {
        for (Index i = 0; i < distance; ++i) {
          const auto at = static_cast<std::size_t>(c * distance + i);
          const auto from = static_cast<std::size_t>(3 * i + c);
          ASSERT_EQ(planes[at], i < count ? pixels[from] : kUntouched)
              << count << ' ' << c << ' ' << i;
        }
      }
    });
  }
}

}  // namespace
}  // namespace krica
