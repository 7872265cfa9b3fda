// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "krica/features/pooling_grid.hpp"
#include "krica/runtime/error.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

TEST(PoolingGrid, OverlappingWindowsAreOneAndAHalfSteps) {
  // 27 × 27 positions in 4 × 4 cells: windows of 9, 6 apart.
  const PoolingGrid grid({6, 1, 4, 4, true}, {32, 32, 3});
  EXPECT_EQ(grid.positions(), 729);
  EXPECT_EQ(grid.cells(), 16);
  for (Index g = 0; g < 16; ++g) EXPECT_EQ(grid.cell_size(g), 81);
  for (Index p = 0; p < grid.positions(); ++p) {
    const PoolingGrid::Place& place = grid.place(p);
    std::vector<Index> expected;
    for (Index r = 0; r < 4; ++r) {
      for (Index c = 0; c < 4; ++c) {
        if (place.row >= 6 * r && place.row < 6 * r + 9 && place.col >= 6 * c &&
            place.col < 6 * c + 9)
          expected.push_back(4 * r + c);
      }
    }
    EXPECT_EQ(grid.cells_of(place.zone), expected);
  }
}

class EveryPoolingGrid : public testing::TestWithParam<FeatureOptions> {};

TEST_P(EveryPoolingGrid, HoldsEveryPositionOnceAndEveryCellSome) {
  const PoolingGrid grid(GetParam(), {20, 17, 1});
  Matrix<int> seen(grid.position_rows(), grid.position_cols());
  for (Index p = 0; p < grid.positions(); ++p) {
    ++seen(grid.place(p).row, grid.place(p).col);
    EXPECT_FALSE(grid.cells_of(grid.place(p).zone).empty());
    if (p > 0) {
      EXPECT_GE(grid.place(p).zone, grid.place(p - 1).zone);
    }
  }
  EXPECT_EQ(seen.view().minCoeff(), 1);
  EXPECT_EQ(seen.view().maxCoeff(), 1);
  for (Index g = 0; g < grid.cells(); ++g) EXPECT_GT(grid.cell_size(g), 0);
}

TEST_P(EveryPoolingGrid, SpreadIsTheTransposeOfPool) {
  const PoolingGrid grid(GetParam(), {20, 17, 1});
  const Matrix<double> zones = support::random_matrix<double>(grid.zones(), 3, 1);
  const Matrix<double> cells = support::random_matrix<double>(grid.cells(), 3, 2);
  Matrix<double> pooled(grid.cells(), 3);
  Matrix<double> spread(grid.zones(), 3);
  grid.pool<double>(zones, pooled.data());
  grid.spread<double>(cells.data(), spread);
  EXPECT_NEAR((pooled.view().array() * cells.view().array()).sum(),
              (zones.view().array() * spread.view().array()).sum(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(PoolingGrid, EveryPoolingGrid,
                         testing::Values(FeatureOptions{4, 1, 2, 2}, FeatureOptions{4, 2, 3, 1},
                                         FeatureOptions{4, 1, 4, 4, true},
                                         FeatureOptions{5, 1, 1, 1, true},
                                         FeatureOptions{3, 3, 5, 2, true},
                                         FeatureOptions{5, 1, 16, 13, true}));

TEST(PoolingGrid, RefusesBadOptions) {
  EXPECT_THROW(PoolingGrid({6, 1, 28, 1}, {32, 32, 1}), InvalidArgument);
  EXPECT_THROW(PoolingGrid({33, 1, 1, 1}, {32, 32, 1}), InvalidArgument);
  EXPECT_THROW(PoolingGrid({6, 1, 2, 2, false, 0}, {32, 32, 1}), InvalidArgument);
  EXPECT_THROW(PoolingGrid({6, 1, 2, 2, false, 1.5}, {32, 32, 1}), InvalidArgument);
}

}  // namespace
}  // namespace krica
