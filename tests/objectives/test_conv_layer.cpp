// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "krica/runtime/error.hpp"
#include "objectives/conv_units.hpp"

namespace krica {
namespace {

TEST(ConvShape, LeavesOutOddRowsAndColumns) {
  EXPECT_EQ(kTwoBlocks.pooled(), (ImageShape{1, 2, 2}));
  EXPECT_EQ(kTwoBlocks.units(), 8);
  EXPECT_EQ(kTwoBlocks.window(), 8);
  EXPECT_THROW((ConvShape{{5, 5, 1}, 5, 1}.validate()), InvalidArgument);
  EXPECT_THROW((ConvShape{{5, 5, 1}, 0, 1}.validate()), InvalidArgument);
  EXPECT_THROW((ConvShape{{5, 5, 1}, 2, 0}.validate()), InvalidArgument);
  EXPECT_NO_THROW((ConvShape{{5, 5, 1}, 4, 1}.validate()));
}

TEST(ConvLayer, ProbabilitiesOfABlockAreThoseOfItsFiveStates) {
  const std::vector<double> bias = {0.3};
  Matrix<double> units(4, 1);
  const std::vector<double> inputs = {1.5, -2, 0.1, 80};
  for (const double last : {0.7, 80.0, -80.0, 900.0}) {
    double sum = 1;
    for (Index i = 0; i < 4; ++i) {
      units(i, 0) = i == 3 ? last : inputs[static_cast<std::size_t>(i)];
      sum += std::exp(units(i, 0) + 0.3);
    }
    const Matrix<double> before = units;
    Matrix<double> off(1, 1);
    MatrixView<double> off_view = off;
    double log_sum = 0;
    block_probabilities<double>(bias, units, &off_view, &log_sum);
    EXPECT_NEAR(units.view().sum() + off(0, 0), 1, 1e-12);
    if (!std::isfinite(sum)) {
      EXPECT_NEAR(log_sum, 900.3, 1e-9);
      EXPECT_NEAR(units(3, 0), 1, 1e-12);
      continue;
    }
    EXPECT_NEAR(off(0, 0), 1 / sum, 1e-12);
    EXPECT_NEAR(log_sum, std::log(sum), 1e-12 * std::abs(log_sum));
    for (Index i = 0; i < 4; ++i)
      EXPECT_NEAR(units(i, 0), std::exp(before(i, 0) + 0.3) / sum, 1e-12);
  }
}

TEST(ConvLayer, AddingWindowsIsTheTransposeOfReadingThem) {
  const ConvShape shape{{7, 9, 3}, 3, 2};
  const Range blocks{1, 5};
  const Matrix<double> v = support::random_matrix<double>(1, shape.input.values(), 1);
  const Matrix<double> M = support::random_matrix<double>(16, shape.window(), 2);
  Matrix<double> windows(16, shape.window());
  read_windows<double>(shape, v.data(), blocks, windows);
  Matrix<double> back(1, shape.input.values());
  add_windows<double>(shape, M, blocks, back.data());
  EXPECT_NEAR(windows.view().cwiseProduct(M.view()).sum(), v.view().cwiseProduct(back.view()).sum(),
              1e-10);
}

/// More blocks than are handled at a time.
TEST(ConvLayer, PoolsAsItsFormulaSays) {
  const ConvShape shape{{40, 38, 2}, 3, 3};
  const Matrix<double> packed = parameters(shape, 3);
  std::vector<double> bias;
  for (Index k = 0; k < 3; ++k) bias.push_back(packed(k, shape.window()));
  const ConvLayer<double> layer(
      shape, Matrix<double>::copy_of(packed.view().topLeftCorner(3, shape.window()).eval()), bias);
  const Matrix<double> v = support::random_matrix<double>(1, shape.input.values(), 4);
  std::vector<double> pooled(static_cast<std::size_t>(shape.pooled().values()));
  layer.apply(v.data(), pooled.data());
  for (Index k = 0; k < 3; ++k) {
    for (Index block = 0; block < shape.blocks(); ++block) {
      double sum = 1;
      for (int state = 1; state <= 4; ++state) {
        const Unit unit = unit_of(shape, block, state);
        sum += std::exp(input_at(shape, packed, v.data(), k, unit.row, unit.col));
      }
      EXPECT_NEAR(pooled[static_cast<std::size_t>(k * shape.blocks() + block)], 1 - 1 / sum, 1e-9);
    }
  }
}

}  // namespace
}  // namespace krica
