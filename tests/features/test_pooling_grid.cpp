// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "features/pooling_grid.hpp"
#include "krica/runtime/error.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

using support::refusal;

PoolingOptions pooling(std::string_view levels, PoolFunction function = PoolFunction::kSum,
                       bool overlap = false) {
  return {PoolLevels::from_text(levels), function, overlap};
}

TEST(PoolingGrid, OverlappingWindowsAreOneAndAHalfSteps) {
  // 27 × 27 positions in 4 × 4 cells: windows of 9, 6 apart.
  const PoolingGrid grid(pooling("4x4", PoolFunction::kSum, true), {27, 27});
  EXPECT_EQ(grid.positions(), 729);
  EXPECT_EQ(grid.cells(), 16);
  EXPECT_EQ(grid.function(), PoolFunction::kMean) << "as the sum over overlapping cells is read";
  for (Index g = 0; g < 16; ++g) EXPECT_EQ(grid.cell_size(g), 81);
  for (Index p = 0; p < grid.positions(); ++p) {
    const PoolingGrid::Run place = grid.run_at(p);
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

/// Cell by cell over the positions that the definition puts into it.
template <class Scalar>
std::vector<double> naive_pool(const PoolingOptions& options, Positions size,
                               const Matrix<Scalar>& codes) {
  const auto range = [&](Index c, Index g, Index P) -> std::pair<Index, Index> {
    if (!options.overlap) return {c * P / g, (c + 1) * P / g};
    return {2 * c * P / (2 * g + 1), ((2 * c + 3) * P + 2 * g) / (2 * g + 1)};
  };
  std::vector<double> cells;
  for (const auto& [rows, cols] : options.levels.levels) {
    for (Index g = 0; g < rows * cols; ++g) {
      const auto [top, bottom] = range(g / cols, rows, size.rows);
      const auto [left, right] = range(g % cols, cols, size.cols);
      for (Index u = 0; u < codes.cols(); ++u) {
        double sum = 0;
        auto most = static_cast<double>(codes(top * size.cols + left, u));
        for (Index y = top; y < bottom; ++y) {
          for (Index x = left; x < right; ++x) {
            const auto code = static_cast<double>(codes(y * size.cols + x, u));
            sum += code;
            most = std::max(most, code);
          }
        }
        const bool mean = options.function == PoolFunction::kMean ||
                          (options.overlap && options.function == PoolFunction::kSum);
        if (mean) sum /= static_cast<double>((bottom - top) * (right - left));
        cells.push_back(options.function == PoolFunction::kMax ? most : sum);
      }
    }
  }
  return cells;
}

/// The grid's own way: codes row by row of positions are gathered, then pooled.
template <class Scalar>
Matrix<Scalar> pooled(const PoolingGrid& grid, const Matrix<Scalar>& codes) {
  Matrix<Scalar> zones(grid.zones(), codes.cols());
  grid.clear<Scalar>(zones);
  for (Index p = 0; p < grid.positions(); ++p) {
    const PoolingGrid::Run at = grid.run_at(p);
    grid.gather(codes.row(at.row * grid.position_cols() + at.col), zones.row(at.zone),
                codes.cols());
  }
  Matrix<Scalar> cells(grid.cells(), codes.cols());
  grid.pool<Scalar>(zones, cells.data());
  return cells;
}

struct Case {
  std::string_view levels;
  Positions size;
  bool overlap = false;
};

class EveryPoolingGrid : public testing::TestWithParam<std::tuple<Case, PoolFunction>> {
 protected:
  [[nodiscard]] PoolingOptions options() const {
    const auto& [tested, function] = GetParam();
    return pooling(tested.levels, function, tested.overlap);
  }
  [[nodiscard]] Positions size() const { return std::get<0>(GetParam()).size; }
};

TEST_P(EveryPoolingGrid, HoldsEveryPositionOnceAndEveryCellSome) {
  const PoolingGrid grid(options(), size());
  Matrix<int> seen(grid.position_rows(), grid.position_cols());
  Index zone = 0;
  for (Index p = 0; p < grid.positions();) {
    const PoolingGrid::Run run = grid.run_at(p);
    ASSERT_GE(run.count, 1);
    EXPECT_TRUE(run.zone == zone || run.zone == zone + 1) << "zones follow one another";
    zone = run.zone;
    EXPECT_FALSE(grid.cells_of(zone).empty());
    for (Index i = 0; i < run.count; ++i) {
      ++seen(run.row, run.col + i);
      EXPECT_EQ(grid.run_at(p + i).col, run.col + i) << "a run can be entered anywhere";
    }
    p += run.count;
  }
  EXPECT_EQ(zone, grid.zones() - 1);
  EXPECT_EQ(seen.view().minCoeff(), 1);
  EXPECT_EQ(seen.view().maxCoeff(), 1);
  for (Index g = 0; g < grid.cells(); ++g) EXPECT_GT(grid.cell_size(g), 0);
}

TEST_P(EveryPoolingGrid, EqualsTheDefinition) {
  const PoolingGrid grid(options(), size());
  const Matrix<double> codes = support::random_matrix<double>(grid.positions(), 3, 7);
  const Matrix<double> cells = pooled(grid, codes);
  const Matrix<float> narrow = pooled(grid, support::cast_to<float>(codes));
  const std::vector<double> expected = naive_pool(options(), size(), codes);
  ASSERT_EQ(static_cast<Index>(expected.size()), cells.size());
  for (std::size_t j = 0; j < expected.size(); ++j) {
    EXPECT_NEAR(cells.data()[j], expected[j], 1e-12);
    EXPECT_NEAR(static_cast<double>(narrow.data()[j]), expected[j], 1e-4);
  }
}

TEST_P(EveryPoolingGrid, SpreadIsTheTransposeOfPool) {
  const PoolingGrid grid(options(), size());
  const Matrix<double> zones = support::random_matrix<double>(grid.zones(), 3, 1);
  const Matrix<double> cells = support::random_matrix<double>(grid.cells(), 3, 2);
  Matrix<double> spread(grid.zones(), 3);
  if (grid.function() == PoolFunction::kMax) {
    EXPECT_THROW(grid.spread<double>(cells.data(), spread), InvalidArgument);
    return;
  }
  Matrix<double> pooled(grid.cells(), 3);
  grid.pool<double>(zones, pooled.data());
  grid.spread<double>(cells.data(), spread);
  EXPECT_NEAR((pooled.view().array() * cells.view().array()).sum(),
              (zones.view().array() * spread.view().array()).sum(), 1e-11);
}

INSTANTIATE_TEST_SUITE_P(
    PoolingGrid, EveryPoolingGrid,
    testing::Combine(testing::Values(Case{"2x2", {17, 14}}, Case{"3x1", {9, 7}},
                                     Case{"4x4", {17, 14}, true}, Case{"1x1", {16, 13}, true},
                                     Case{"5x2", {6, 5}, true}, Case{"16x13", {16, 13}, true},
                                     Case{"1x1", {1, 1}}, Case{"1x1,2x2,4x4", {27, 27}},
                                     Case{"1x1,2x2,4x4", {7, 5}}, Case{"3x2,5x7", {11, 13}},
                                     Case{"4x4,1x1,3x3", {9, 10}, true}),
                     testing::Values(PoolFunction::kSum, PoolFunction::kMean, PoolFunction::kMax)),
    [](const auto& tested) { return fmt::format("Case{}", tested.index); });

TEST(PoolingGrid, TheWholeIsTheSumOfItsQuarters) {
  const PoolingGrid grid(pooling("1x1,2x2"), {9, 11});
  const Matrix<double> cells = pooled(grid, support::random_matrix<double>(99, 4, 3));
  for (Index u = 0; u < 4; ++u)
    EXPECT_NEAR(cells(0, u), cells(1, u) + cells(2, u) + cells(3, u) + cells(4, u), 1e-12);
}

TEST(PoolingGrid, TakesNoMemoryPerPosition) {
  const Index side = 2'000'000'000;
  const PoolingGrid grid(pooling("1x1,3x3"), {side, side});
  EXPECT_EQ(grid.positions(), side * side);
  const PoolingGrid::Run last = grid.run_at(grid.positions() - 1);
  EXPECT_EQ(last.row, side - 1);
  EXPECT_EQ(last.col, side - 1);
  EXPECT_EQ(last.zone, 8);
}

TEST(PoolLevels, AreReadAndWritten) {
  for (const std::string_view text : {"2x2", "1x1,2x2,4x4", "3x1,1x7"})
    EXPECT_EQ(PoolLevels::from_text(text).text(), text);
  EXPECT_EQ(PoolLevels().text(), "2x2");
  EXPECT_EQ(PoolLevels::from_text("1x1,2x2,4x4").cells(), 21);
}

TEST(PoolLevels, RefuseWhatMakesNoGrid) {
  for (const std::string_view text :
       {"", ",", "0x2", "2x0", "2x2,", ",2x2", "2x2,,3x3", "2", "x", "2x", "-1x2", "2x2x2", "2 x 2",
        "02x2", "1x1;2x2", "2x99999999999999999999"})
    EXPECT_THROW(PoolLevels::from_text(text), InvalidArgument) << text;
  EXPECT_NE(refusal([] { PoolLevels::from_text("2x2,1x1,2x2"); }).find("2x2 is given twice"),
            std::string::npos);
  EXPECT_NE(refusal([] { PoolLevels::from_text("200x200"); }).find("more than 16384 cells"),
            std::string::npos);
  EXPECT_NE(refusal([] { PoolLevels::from_text("100x100,99x99"); }).find("more than 16384 cells"),
            std::string::npos);
  EXPECT_NE(refusal([] { PoolLevels::from_text("4000000000x4000000000"); }).find("more than"),
            std::string::npos);
}

TEST(PoolingGrid, RefusesBadOptions) {
  EXPECT_NE(refusal([] {
              PoolingGrid(pooling("1x1,28x1"), {27, 27});
            }).find("finer"),
            std::string::npos);
  EXPECT_NE(refusal([] {
              PoolingGrid(pooling("8000x1,1x8000"), {9000, 9000});
            }).find("pieces"),
            std::string::npos);
  EXPECT_THROW(PoolingGrid({{{}}}, {27, 27}), InvalidArgument);
  EXPECT_THROW(PoolingGrid({.power = 0}, {27, 27}), InvalidArgument);
  EXPECT_THROW(PoolingGrid({.power = 1.5}, {27, 27}), InvalidArgument);
  EXPECT_THROW(PoolingGrid({}, {0, 27}), InvalidArgument);
  EXPECT_THROW(PoolingGrid({}, {Index{1} << 40, 27}), InvalidArgument);
}

}  // namespace
}  // namespace krica
