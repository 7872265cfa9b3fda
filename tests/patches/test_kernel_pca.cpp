// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "krica/runtime/error.hpp"
#include "patches/kernel_pca.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

constexpr double kGamma = 0.2;

/// Kernel PCA by the book: eigenpairs of the centred kernel matrix, projections √λ_k · a_k.
struct Textbook {
  Eigen::VectorXd eigenvalues;  // of the centred matrix over m, falling
  Eigen::MatrixXd projections;

  explicit Textbook(const Matrix<double>& X) {
    const Index m = X.rows();
    Eigen::MatrixXd K(m, m);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < m; ++j) {
        K(i, j) = std::exp(-kGamma * (X.view().row(i) - X.view().row(j)).squaredNorm());
      }
    }
    const Eigen::MatrixXd J = Eigen::MatrixXd::Identity(m, m) -
                              Eigen::MatrixXd::Constant(m, m, 1.0 / static_cast<double>(m));
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(J * K * J);
    eigenvalues = eigen.eigenvalues().reverse() / static_cast<double>(m);
    projections = eigen.eigenvectors().rowwise().reverse() *
                  eigen.eigenvalues().reverse().cwiseMax(0).cwiseSqrt().asDiagonal();
  }
};

TEST(KernelPca, ExactFormIsTheTextbook) {
  const Matrix<double> X = support::random_matrix<double>(60, 4, 2);
  const Textbook expected(X);
  const auto pca = KernelPca<double>::fit(
      Context(), X, {.kernel = {.gamma = kGamma}, .components = 6, .whiten = false});
  const Matrix<double> projected = pca.apply(Context(), X);
  for (Index k = 0; k < 6; ++k) {
    EXPECT_NEAR(pca.eigenvalues()[static_cast<std::size_t>(k)], expected.eigenvalues(k),
                1e-8 * expected.eigenvalues(0));
    const double sign = projected.view().col(k).dot(expected.projections.col(k)) > 0 ? 1 : -1;
    EXPECT_LT((projected.view().col(k) - sign * expected.projections.col(k)).norm(),
              1e-5 * expected.projections.col(k).norm());
  }
}

TEST(KernelPca, WhitenedProjectionsHaveUnitCovariance) {
  const Matrix<double> X = support::random_matrix<double>(200, 4, 3);
  for (const Index landmarks : {Index{0}, Index{50}}) {
    for (const auto choice : {LandmarkChoice::kRandom, LandmarkChoice::kKmeans}) {
      const auto pca = KernelPca<double>::fit(Context(), X,
                                              {.kernel = {.gamma = kGamma},
                                               .landmarks = landmarks,
                                               .choice = choice,
                                               .components = 10});
      const Eigen::MatrixXd Z = pca.apply(Context(), X).view();
      EXPECT_LT(Z.colwise().mean().norm(), 1e-7);
      EXPECT_LT((Z.transpose() * Z / 200.0 - Eigen::MatrixXd::Identity(10, 10)).norm(), 1e-6);
    }
  }
}

TEST(KernelPca, LinearKernelIsPcaAndKnowsTheRank) {
  Matrix<double> X = support::random_matrix<double>(80, 5, 4);
  X.view().col(4) = X.view().col(0) - X.view().col(1);
  const auto pca = KernelPca<double>::fit(
      Context(), X, {.kernel = {.kind = KernelKind::kLinear}, .whiten = false});
  EXPECT_EQ(pca.outputs(), 4);
}

TEST(KernelPca, LandmarksComeNearTheExactOne) {
  const Matrix<double> X = support::random_matrix<double>(300, 2, 5);
  const auto exact =
      KernelPca<double>::fit(Context(), X, {.kernel = {.gamma = kGamma}, .components = 3});
  const auto near = KernelPca<double>::fit(
      Context(), X, {.kernel = {.gamma = kGamma}, .landmarks = 60, .components = 3});
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(near.eigenvalues()[k] / exact.eigenvalues()[k], 1, 0.02);
}

TEST(KernelPca, FloatAgreesAndThreadsDoNotMatter) {
  const Matrix<double> X = support::random_matrix<double>(2000, 3, 6);
  const Matrix<float> Xf = support::cast_to<float>(X);
  const KernelPcaOptions options{.kernel = {.gamma = kGamma},
                                 .landmarks = 40,
                                 .choice = LandmarkChoice::kRandom,
                                 .components = 3};
  const Matrix<double> wide = KernelPca<double>::fit(Context(), X, options).apply(Context(), X);
  const Matrix<float> one = KernelPca<float>::fit(Context({.threads = 1}), Xf, options)
                                .apply(Context({.threads = 1}), Xf);
  for (const int threads : {2, 3, 4}) {
    const Context context({.threads = threads});
    const Matrix<float> many = KernelPca<float>::fit(context, Xf, options).apply(context, Xf);
    EXPECT_TRUE(one.view() == many.view()) << threads;
  }
  EXPECT_LT((one.view().cast<double>() - wide.view()).norm(), 1e-2 * wide.view().norm());
}

TEST(KernelPca, RefusesBadInput) {
  const Matrix<double> X = support::random_matrix<double>(10, 3, 7);
  const auto fit = [](const Matrix<double>& data, const KernelPcaOptions& options) {
    return KernelPca<double>::fit(Context(), data, options);
  };
  EXPECT_THROW(fit(X, {.landmarks = 11}), InvalidArgument);
  EXPECT_THROW(fit(X, {.landmarks = 1}), InvalidArgument);
  EXPECT_THROW(fit(X, {.kernel = {.gamma = 0}}), InvalidArgument);
  EXPECT_THROW(fit(Matrix<double>(5, 3), {}), InvalidArgument) << "all samples equal";
  EXPECT_THROW(fit(Matrix<double>(1, 3), {}), InvalidArgument);
}

}  // namespace
}  // namespace krica
