// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "classify/standardiser.hpp"
#include "krica/runtime/error.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

Matrix<float> features() {
  Matrix<float> X = support::random_matrix<float>(300, 7, 1);
  X.view().col(2) = X.view().col(2).array() * 20.0F + 5.0F;
  X.view().col(5).setConstant(3.0F);
  return X;
}

TEST(Standardiser, IsItsFormula) {
  const Matrix<float> X = features();
  Matrix<float> Z = X;
  Standardiser::fit(Context(), X).apply_in_place(Context(), Z);
  const Eigen::MatrixXd wide = X.view().cast<double>();
  const Eigen::RowVectorXd mean = wide.colwise().mean();
  const Eigen::RowVectorXd variance = (wide.rowwise() - mean).colwise().squaredNorm() / 299.0;
  for (Index j = 0; j < 7; ++j) {
    const double deviation = std::sqrt(variance(j) + 0.01 * variance.mean());
    for (Index i = 0; i < 300; ++i) EXPECT_NEAR(Z(i, j), (wide(i, j) - mean(j)) / deviation, 1e-4);
  }
}

/// 1 / deviation would be infinite in float32, and the features NaN.
TEST(Standardiser, RefusesDeviationsThatItCannotDivideBy) {
  Matrix<float> features(4, 2);
  for (Index i = 0; i < 4; ++i) features(i, 0) = static_cast<float>(i) * 1e-42F;
  try {
    Standardiser::fit(Context(), std::as_const(features));
    FAIL() << "it was taken";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("scale the data"));
  }
}

TEST(Standardiser, SameBitsForAnyThreads) {
  const Matrix<float> X = support::random_matrix<float>(1000, 7, 1);
  const auto standardised = [&](int threads) {
    const Context context({.threads = threads});
    Matrix<float> Z = X;
    Standardiser::fit(context, X).apply_in_place(context, Z);
    return Z;
  };
  const Matrix<float> one = standardised(1);
  for (const int threads : {2, 3, 4}) EXPECT_TRUE(one.view() == standardised(threads).view());
}

TEST(Standardiser, SavesLoadsAndKeepsBits) {
  const Matrix<float> X = features();
  const Standardiser fitted = Standardiser::fit(Context({.threads = 3}), X);
  Archive archive;
  fitted.save(archive);
  Matrix<float> a = X;
  Matrix<float> b = X;
  fitted.apply_in_place(Context(), a);
  Standardiser::load(archive).apply_in_place(Context({.threads = 1}), b);
  EXPECT_TRUE(a.view() == b.view());
  Matrix<float> narrow(2, 3);
  EXPECT_THROW(fitted.apply_in_place(Context(), narrow), InvalidArgument);
  EXPECT_THROW(Standardiser::fit(Context(), Matrix<float>(1, 3)), InvalidArgument);
}

}  // namespace
}  // namespace krica
