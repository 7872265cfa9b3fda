// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "runtime/column_moments.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

Matrix<float> shifted(Index rows) {
  Matrix<float> X = support::random_matrix<float>(rows, 5, 1);
  X.view().col(1).array() += 1000.0F;
  X.view().col(3).setConstant(0.1F);
  return X;
}

TEST(ColumnMoments, AreMeansAndSquaresAboutThem) {
  for (const Index rows : {1, 2, 63, 64, 65, 500}) {
    const Matrix<float> X = shifted(rows);
    const ColumnMoments moments = column_moments<float>(Context(), X);
    EXPECT_EQ(moments.count(), static_cast<double>(rows));
    for (Index j = 0; j < X.cols(); ++j) {
      const auto column = X.view().col(j).cast<double>();
      const auto at = static_cast<std::size_t>(j);
      EXPECT_NEAR(moments.mean()[at], column.mean(), 1e-12 * (1 + std::abs(column.mean())));
      const double squares = (column.array() - column.mean()).square().sum();
      EXPECT_NEAR(moments.squares()[at], squares, 1e-10 * squares);
    }
  }
}

TEST(ColumnMoments, OfEqualValuesAreExact) {
  const ColumnMoments moments = column_moments<float>(Context(), shifted(1000));
  EXPECT_EQ(moments.mean()[3], static_cast<double>(0.1F));
  EXPECT_EQ(moments.squares()[3], 0.0);
}

TEST(ColumnMoments, OfPartsAreThoseOfTheWhole) {
  const Matrix<float> X = shifted(90);
  const ConstMatrixView<float> rows(X);
  ColumnMoments sum;
  EXPECT_EQ(sum.count(), 0.0);
  for (const Index first : {0, 10, 11, 50}) {
    const Index end = first == 0 ? 10 : first == 10 ? 11 : first == 11 ? 50 : 90;
    sum.add<float>(rows.rows_between(first, end));
  }
  const ColumnMoments whole = column_moments(Context(), rows);
  EXPECT_EQ(sum.count(), whole.count());
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_NEAR(sum.mean()[j], whole.mean()[j], 1e-12 * (1 + std::abs(whole.mean()[j])));
    EXPECT_NEAR(sum.squares()[j], whole.squares()[j], 1e-10 * whole.squares()[j]);
  }
}

TEST(ColumnMoments, HaveTheSameBitsForAnyNumberOfThreads) {
  const Matrix<float> X = shifted(1000);
  const ColumnMoments one = column_moments<float>(Context({.threads = 1}), X);
  for (const int threads : {2, 3, 4}) {
    const ColumnMoments more = column_moments<float>(Context({.threads = threads}), X);
    EXPECT_EQ(more.mean(), one.mean());
    EXPECT_EQ(more.squares(), one.squares());
  }
}

}  // namespace
}  // namespace krica
