// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <limits>

#include "krica/patches/whitening.hpp"
#include "krica/runtime/error.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

/// Correlated samples with a mean; the last column repeats the first, so the rank is n - 1.
Matrix<float> correlated(Index m, Index n) {
  const Matrix<float> white = support::random_matrix<float>(m, n, 5);
  const Matrix<float> mixing = support::random_matrix<float>(n, n, 6);
  Matrix<float> X(m, n);
  X.view() = white.view() * mixing.view();
  X.view().array() += 3.0F;
  X.view().col(n - 1) = X.view().col(0);
  return X;
}

Eigen::MatrixXd covariance(const Matrix<float>& X) {
  Eigen::MatrixXd centred = X.view().cast<double>();
  centred.rowwise() -= centred.colwise().mean().eval();
  return centred.transpose() * centred / static_cast<double>(X.rows() - 1);
}

TEST(Whitening, PcaGivesUnitCovarianceAndTheRank) {
  const Matrix<float> X = correlated(500, 8);
  const auto whitening = Whitening::fit(Context(), X, {.kind = WhiteningKind::kPca, .epsilon = 0});
  EXPECT_EQ(whitening.outputs(), 7);
  const Eigen::MatrixXd C = covariance(whitening.apply(Context(), X));
  EXPECT_LT((C - Eigen::MatrixXd::Identity(7, 7)).norm(), 1e-3);
}

TEST(Whitening, PcaKeepsTheLargestDirections) {
  const Matrix<float> X = correlated(500, 8);
  const auto all = Whitening::fit(Context(), X, {.kind = WhiteningKind::kPca, .epsilon = 0.1});
  const auto three =
      Whitening::fit(Context(), X, {.kind = WhiteningKind::kPca, .epsilon = 0.1, .components = 3});
  EXPECT_EQ(three.outputs(), 3);
  const Matrix<float> a = all.apply(Context(), X);
  const Matrix<float> b = three.apply(Context(), X);
  EXPECT_LT((a.view().leftCols(3) - b.view()).norm(), 1e-3 * b.view().norm());
}

TEST(Whitening, ZcaIsSymmetricAndShrinksByTheVariance) {
  const Matrix<float> X = correlated(500, 6);
  const double epsilon = 0.3;
  const auto zca = Whitening::fit(Context(), X, {.kind = WhiteningKind::kZca, .epsilon = epsilon});
  const Eigen::MatrixXd C = covariance(X);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(C);
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(6, 6);  // without the direction that has no data
  for (Index d = 1; d < 6; ++d) {
    const Eigen::VectorXd v = eigen.eigenvectors().col(d);
    expected += v * v.transpose() / std::sqrt(eigen.eigenvalues()(d) + epsilon);
  }
  Eigen::MatrixXd centred = X.view().cast<double>();
  centred.rowwise() -= centred.colwise().mean().eval();
  const Eigen::MatrixXd whitened = zca.apply(Context(), X).view().cast<double>();
  EXPECT_LT((whitened - centred * expected).norm(), 1e-4 * whitened.norm());
}

TEST(Whitening, UnwhitenUndoesIt) {
  const Matrix<float> X = correlated(300, 6);
  for (const auto kind : {WhiteningKind::kZca, WhiteningKind::kPca, WhiteningKind::kNone}) {
    const auto whitening = Whitening::fit(Context(), X, {.kind = kind, .epsilon = 0.1});
    const Matrix<float> back = whitening.unwhiten(whitening.apply(Context(), X));
    Eigen::MatrixXf wanted = X.view();
    if (kind != WhiteningKind::kNone) wanted.rowwise() -= wanted.colwise().mean().eval();
    EXPECT_LT((back.view() - wanted).norm(), 2e-3F * wanted.norm()) << name_of(kind);
  }
}

TEST(Whitening, SameBitsForAnyThreads) {
  const Matrix<float> X = correlated(9000, 20);
  const Matrix<float> one =
      Whitening::fit(Context({.threads = 1}), X, {}).apply(Context({.threads = 1}), X);
  for (const int threads : {2, 3, 4}) {
    const Context context({.threads = threads});
    EXPECT_TRUE(one.view() == Whitening::fit(context, X, {}).apply(context, X).view()) << threads;
  }
}

TEST(Whitening, SavesAndLoads) {
  const Matrix<float> X = correlated(100, 5);
  for (const auto kind : {WhiteningKind::kZca, WhiteningKind::kPca, WhiteningKind::kNone}) {
    const auto whitening = Whitening::fit(Context(), X, {.kind = kind});
    Archive archive;
    whitening.save(archive);
    const auto loaded = Whitening::load(Archive::parse(archive.bytes(), "memory"));
    EXPECT_TRUE(loaded.apply(Context(), X).view() == whitening.apply(Context(), X).view());
  }
}

TEST(Whitening, RefusesBadInput) {
  Matrix<float> X = correlated(10, 4);
  EXPECT_THROW(Whitening::fit(Context(), X, {.epsilon = -1}), InvalidArgument);
  EXPECT_THROW(Whitening::fit(Context(), X, {.epsilon = NAN}), InvalidArgument);
  EXPECT_THROW(Whitening::fit(Context(), Matrix<float>(0, 4), {}), InvalidArgument);
  EXPECT_THROW(Whitening::fit(Context(), Matrix<float>(1, 4), {}), InvalidArgument);
  EXPECT_THROW(Whitening::fit(Context(), Matrix<float>(9, 4), {}), InvalidArgument)
      << "all samples equal";
  X(3, 2) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(Whitening::fit(Context(), X, {}), InvalidArgument);
  EXPECT_THROW(whitening_kind("zcaa"), InvalidArgument);
}

}  // namespace
}  // namespace krica
