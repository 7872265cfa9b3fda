// SPDX-License-Identifier: BSD-3-Clause
//
// Power, standardisation and loss, each by itself.
#include <gtest/gtest.h>

#include "features/pool_power.hpp"
#include "joint/batch_moments.hpp"
#include "joint/margin_loss.hpp"
#include "krica/runtime/error.hpp"
#include "support/gradient_check.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

using support::random_matrix;

constexpr double kStageGradient = 1e-8;

TEST(PoolPower, IsTheSquareRootAndMirrorsNegativeValues) {
  std::vector<double> z = {0, 0.25, 4, -4};
  raise_to_power<double>(0.5, z.data(), nullptr, 4);
  EXPECT_DOUBLE_EQ(z[0], 1e-3);
  EXPECT_DOUBLE_EQ(z[1], std::sqrt(0.25 + 1e-6));
  EXPECT_DOUBLE_EQ(z[2], std::sqrt(4 + 1e-6));
  EXPECT_DOUBLE_EQ(z[3], 2e-3 - z[2]);
  std::vector<double> same = {0.3, -2};
  raise_to_power<double>(1, same.data(), nullptr, 2);
  EXPECT_EQ(same, (std::vector<double>{0.3, -2}));
}

class EveryPower : public testing::TestWithParam<double> {};

TEST_P(EveryPower, DerivativeAgreesWithDifferences) {
  const Matrix<double> z = random_matrix<double>(1, 9, 3);
  Matrix<double> raised = z;
  Matrix<double> derivative(1, 9);
  raise_to_power<double>(GetParam(), raised.data(), derivative.data(), 9);
  const auto sum = [&](const Matrix<double>& at) {
    Matrix<double> copy = at;
    raise_to_power<double>(GetParam(), copy.data(), nullptr, 9);
    return copy.view().sum();
  };
  EXPECT_LT(support::gradient_error(derivative, sum, z), kStageGradient);
}
INSTANTIATE_TEST_SUITE_P(PoolPower, EveryPower, testing::Values(0.25, 0.5, 0.8, 1.0));

TEST(BatchMoments, StandardisedFeaturesHaveNoMeanAndUnitVariance) {
  Matrix<double> Z = random_matrix<double>(20, 300, 4);
  for (Index i = 0; i < 20; ++i) Z(i, 7) = 5;  // one that does not vary
  const BatchMoments moments = standardise_batch<double>(Context({.threads = 1}), Z);
  for (Index j = 0; j < 300; ++j) {
    EXPECT_NEAR(Z.view().col(j).mean(), 0, 1e-12);
    EXPECT_NEAR(Z.view().col(j).squaredNorm() / 20, j == 7 ? 0 : 1, 1e-5);
  }
  EXPECT_EQ(moments.mean[7], 5);
  EXPECT_NEAR(moments.inverse_deviation(7), 1 / std::sqrt(kVarianceFloor), 1e-6);
}

TEST(BatchMoments, BackwardGoesThroughBothMoments) {
  const Matrix<double> z = random_matrix<double>(6, 4, 5);
  const Matrix<double> weights = random_matrix<double>(6, 4, 6);
  Matrix<double> standardised = z;
  const BatchMoments moments = standardise_batch<double>(Context({.threads = 1}), standardised);
  Matrix<double> gradient = weights;
  standardise_batch_backward<double>(Context({.threads = 1}), moments, standardised, gradient);
  const auto value = [&](const Matrix<double>& at) {
    Matrix<double> copy = at;
    standardise_batch<double>(Context({.threads = 1}), copy);
    return (copy.view().array() * weights.view().array()).sum();
  };
  EXPECT_LT(support::gradient_error(gradient, value, z), kStageGradient);
}

TEST(BatchMoments, SameBitsForAnyThreads) {
  const auto forth_and_back = [](int threads) {
    const Context context({.threads = threads});
    Matrix<float> Z = random_matrix<float>(150, 30, 5);
    Matrix<float> Q = random_matrix<float>(150, 30, 6);
    const BatchMoments moments = standardise_batch<float>(context, Z);
    standardise_batch_backward<float>(context, moments, Z, Q);
    return std::pair(Z, Q);
  };
  const auto one = forth_and_back(1);
  for (const int threads : {2, 3, 4}) {
    const auto many = forth_and_back(threads);
    EXPECT_TRUE(support::same_bits(one.first, many.first)) << threads;
    EXPECT_TRUE(support::same_bits(one.second, many.second)) << threads;
  }
}

TEST(BatchMoments, SumsOfPartsAreThoseOfTheWhole) {
  const Context context({.threads = 1});
  Matrix<double> rows = random_matrix<double>(23, 300, 5);
  for (Index i = 0; i < rows.rows(); ++i) rows(i, 7) = 1e6 + rows(i, 7);  // far from its mean
  MomentSums sums(3);
  for (const auto& [begin, end] : {std::pair<Index, Index>{0, 10}, {10, 11}, {11, 23}})
    sums.add<double>(context, ConstMatrixView<double>(rows).rows_between(begin, end));
  const BatchMoments parts = sums.moments();
  Matrix<double> standardised = rows;
  const BatchMoments whole = standardise_batch<double>(context, standardised);
  for (std::size_t j = 0; j < whole.mean.size(); ++j) {
    EXPECT_NEAR(parts.mean[j], whole.mean[j], 1e-12 * std::abs(whole.mean[j]) + 1e-13);
    EXPECT_NEAR(parts.variance[j], whole.variance[j], 1e-9 * whole.variance[j]);
  }
  standardise_with<double>(context, parts, rows);
  EXPECT_LT(support::relative_error(rows, standardised), 1e-7);
  Matrix<double> single(1, 1);
  EXPECT_THROW(standardise_batch<double>(context, single), InvalidArgument);
}

// Parts of 64 rows, like those of column_moments(): added in the same order, they give the same
// bits.
TEST(BatchMoments, PartsAreAddedInTreeOrder) {
  const Context context({.threads = 1});
  constexpr Index kParts = 8;
  const Matrix<double> rows = random_matrix<double>(64 * kParts, 5, 6);
  MomentSums sums(kParts);
  for (Index part = 0; part < kParts; ++part)
    sums.add<double>(context,
                     ConstMatrixView<double>(rows).rows_between(64 * part, 64 * (part + 1)));
  const BatchMoments parts = sums.moments();
  const ColumnMoments whole = column_moments<double>(context, rows);
  EXPECT_EQ(parts.mean, whole.mean());
}

class EveryLoss : public testing::TestWithParam<MarginLoss> {};

TEST_P(EveryLoss, DerivativeAgreesWithDifferences) {
  const Matrix<double> scores = random_matrix<double>(5, 3, 7);
  const std::vector<int> labels = {0, 1, 2, 1, 0};
  Matrix<double> derivative = scores;
  loss_and_derivative<double>(GetParam(), labels, derivative);
  const auto value = [&](const Matrix<double>& at) {
    Matrix<double> copy = at;
    return loss_and_derivative<double>(GetParam(), labels, copy);
  };
  EXPECT_LT(support::gradient_error(derivative, value, scores), kStageGradient);
}
INSTANTIATE_TEST_SUITE_P(MarginLoss, EveryLoss,
                         testing::Values(MarginLoss::kSquaredHinge, MarginLoss::kCrossEntropy));

TEST_P(EveryLoss, BestConstantScoresHaveNoGradient) {
  const std::vector<int> labels = {0, 1, 1, 2, 1, 0};
  const std::vector<double> best = best_constant_scores(GetParam(), labels, 3);
  Matrix<double> scores(6, 3);
  for (Index i = 0; i < 6; ++i) {
    for (Index c = 0; c < 3; ++c) scores(i, c) = best[static_cast<std::size_t>(c)];
  }
  loss_and_derivative<double>(GetParam(), labels, scores);
  for (Index c = 0; c < 3; ++c) EXPECT_NEAR(scores.view().col(c).sum(), 0, 1e-12);
}

TEST(MarginLoss, KnownValues) {
  Matrix<double> scores(1, 3);
  scores(0, 0) = 2;     // right, beyond its margin
  scores(0, 1) = -0.5;  // half a margin
  scores(0, 2) = 1;     // wrong by two
  const std::vector<int> label = {0};
  Matrix<double> copy = scores;
  EXPECT_DOUBLE_EQ(loss_and_derivative<double>(MarginLoss::kSquaredHinge, label, copy), 0.25 + 4);
  Matrix<double> large(1, 2);
  large(0, 1) = 1e4;
  EXPECT_DOUBLE_EQ(loss_and_derivative<double>(MarginLoss::kCrossEntropy, label, large), 1e4);
  scores(0, 1) = std::numeric_limits<double>::quiet_NaN();
  copy = scores;
  EXPECT_TRUE(std::isnan(loss_and_derivative<double>(MarginLoss::kSquaredHinge, label, copy)));
  EXPECT_THROW(loss_and_derivative<double>(MarginLoss::kSquaredHinge, std::vector<int>{3}, scores),
               InvalidArgument);
}

}  // namespace
}  // namespace krica
