// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "krica/runtime/error.hpp"
#include "report/heat_map.hpp"

namespace krica {
namespace {

TEST(HeatMap, RedIsForAndBlueAgainst) {
  const Image image{{4, 5, 1}, std::vector<std::uint8_t>(20, 100)};
  Matrix<float> votes(2, 2);  // patches of 2×2, 2 apart; the last column holds none
  votes(0, 0) = 3;
  votes(1, 1) = -3;
  const Image map = draw_heat_map(image, votes, 2, 2, 2);
  EXPECT_EQ(map.shape, (ImageShape{8, 10, 3}));
  const auto channel = [&](Index c, Index y, Index x) {
    return int{map.pixels[static_cast<std::size_t>(c * 80 + y * 10 + x)]};
  };
  EXPECT_GT(channel(0, 0, 0), 150);
  EXPECT_LT(channel(2, 0, 0), 80);
  EXPECT_LT(channel(0, 7, 7), 80);
  EXPECT_GT(channel(2, 7, 7), 120);
  for (Index c = 0; c < 3; ++c) {
    EXPECT_EQ(channel(c, 0, 7), 100) << "no vote";
    EXPECT_EQ(channel(c, 0, 9), 100) << "no patch";
  }
}

TEST(HeatMap, RefusesPatchesThatDoNotFit) {
  const Image image{{4, 4, 1}, std::vector<std::uint8_t>(16)};
  EXPECT_THROW(draw_heat_map(image, Matrix<float>(4, 3), 2, 1), InvalidArgument);
  EXPECT_THROW(draw_heat_map(image, Matrix<float>(0, 0), 2, 1), InvalidArgument);
}

}  // namespace
}  // namespace krica
