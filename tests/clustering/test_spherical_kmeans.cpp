// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "clustering/spherical_kmeans.hpp"
#include "krica/runtime/error.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

Matrix<double> unit_rows(Matrix<double> matrix) {
  matrix.view().rowwise().normalize();
  return matrix;
}

/// One active atom a sample: x = g d_a + 0.1·noise, g standard normal with |g| >= 0.5.
Matrix<double> one_active(const Matrix<double>& atoms, Index m, std::uint64_t seed) {
  Random random(seed, "tests.one_active");
  Matrix<double> X(m, atoms.cols());
  for (Index i = 0; i < m; ++i) {
    const Index active = random.below(atoms.rows());
    double gain = random.normal();
    while (std::abs(gain) < 0.5) gain = random.normal();
    for (Index j = 0; j < X.cols(); ++j) X(i, j) = gain * atoms(active, j) + 0.1 * random.normal();
  }
  return X;
}

/// Part of the true atoms that some found atom meets with |cos| > 0.95.
double recovered(const Matrix<double>& truth, const Matrix<double>& found) {
  const Eigen::MatrixXd cosines = (truth.view() * found.view().transpose()).cwiseAbs();
  return (cosines.rowwise().maxCoeff().array() > 0.95).cast<double>().mean();
}

SphericalKmeansResult<double> best_of_five(const Matrix<double>& X, Index K) {
  SphericalKmeansResult<double> best;
  for (std::uint64_t start = 0; start < 5; ++start) {
    auto result =
        spherical_kmeans<double>(Context(), X, support::random_matrix<double>(K, X.cols(), start),
                                 {.n_clusters = K, .max_iterations = 200, .tolerance = 1e-7});
    if (start == 0 || result.cost < best.cost) best = std::move(result);
  }
  return best;
}

TEST(SphericalKmeans, RecoversTheAtomsOfOneActiveModels) {
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Matrix<double> truth = unit_rows(support::random_matrix<double>(24, 16, 100 + seed));
    const auto result = best_of_five(one_active(truth, 5000, seed), 24);
    const double part = recovered(truth, result.atoms);
    fmt::print("problem {}: {:.0f} % of the atoms\n", seed, 100 * part);
    mean += part / 5;
  }
  EXPECT_GE(mean, 0.8);
}

TEST(SphericalKmeans, NeverRaisesTheCostWhichIsTheFormula) {
  const Matrix<double> X = support::random_matrix<double>(300, 6, 1);
  const Matrix<double> start = support::random_matrix<double>(10, 6, 2);
  double before = INFINITY;
  for (Index iterations = 0; iterations < 12; ++iterations) {
    const auto result = spherical_kmeans<double>(
        Context(), X, start, {.n_clusters = 10, .max_iterations = iterations, .tolerance = 0});
    EXPECT_LE(result.cost, before);
    before = result.cost;
    double cost = 0;
    for (Index i = 0; i < 300; ++i) {
      const Index u = result.assignment[static_cast<std::size_t>(i)];
      const double gain = X.view().row(i).dot(result.atoms.view().row(u));
      cost += (X.view().row(i) - gain * result.atoms.view().row(u)).squaredNorm();
    }
    EXPECT_LT(support::relative_error(result.cost, cost), 1e-12);
    EXPECT_LT((result.atoms.view().rowwise().norm().array() - 1).abs().maxCoeff(), 1e-12);
  }
}

TEST(SphericalKmeans, SameBitsForAnyThreads) {
  const Matrix<float> X = support::random_matrix<float>(5000, 9, 1);
  const Matrix<float> start = support::random_matrix<float>(20, 9, 2);
  const auto one = spherical_kmeans<float>(Context({.threads = 1}), X, start, {.n_clusters = 20});
  for (const int threads : {2, 3, 4}) {
    const Context context({.threads = threads});
    const auto many = spherical_kmeans<float>(context, X, start, {.n_clusters = 20});
    EXPECT_TRUE(support::same_bits(one.atoms, many.atoms)) << threads;
    EXPECT_TRUE(support::same_bits(one.cost, many.cost)) << threads;
  }
}

TEST(SphericalKmeans, AtomsWithoutSamplesMoveToTheWorstCoded) {
  // Two directions; the third atom starts beside the first and loses every sample to it.
  Matrix<double> X(4, 3);
  X(0, 0) = 1, X(1, 0) = -2, X(2, 1) = 1, X(3, 2) = 1;
  Matrix<double> start(3, 3);
  start(0, 0) = 1, start(1, 1) = 1, start(2, 0) = 1, start(2, 1) = 0.1;
  const auto result = spherical_kmeans<double>(Context(), X, start, {.n_clusters = 3});
  EXPECT_NEAR(result.cost, 0, 1e-12);
  const auto zeros =
      spherical_kmeans<double>(Context(), Matrix<double>(4, 3), start, {.n_clusters = 3});
  EXPECT_TRUE(zeros.atoms.view().allFinite());
}

TEST(SphericalKmeans, LargeValuesGiveUnitAtomsAndLargerOnesAreRefused) {
  Matrix<float> X = support::random_matrix<float>(300, 20, 1);
  const Matrix<float> start = support::random_matrix<float>(5, 20, 2);
  X.view() *= 1e18F;  // squares fit, sums of products of 300 samples do not
  const auto result = spherical_kmeans<float>(Context(), X, start, {.n_clusters = 5});
  for (Index u = 0; u < 5; ++u) EXPECT_NEAR(result.atoms.view().row(u).norm(), 1, 1e-5);
  X.view() *= 100.0F;
  try {
    spherical_kmeans<float>(Context(), X, start, {.n_clusters = 5});
    ADD_FAILURE() << "squares that overflow were taken";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("overflows, scale the values down"), std::string::npos)
        << error.what();
  }
}

TEST(SphericalKmeans, RefusesBadInput) {
  const Matrix<double> X = support::random_matrix<double>(30, 4, 1);
  const Matrix<double> start = support::random_matrix<double>(3, 4, 2);
  const auto refused = [&](const Matrix<double>& data, const Matrix<double>& atoms,
                           const SphericalKmeansOptions& options) {
    EXPECT_THROW(spherical_kmeans<double>(Context(), data, atoms, options), InvalidArgument);
  };
  refused(X, start, {.n_clusters = 0});
  refused(X, start, {.n_clusters = 4});
  refused(X, start, {.n_clusters = 3, .max_iterations = -1});
  refused(X, start, {.n_clusters = 3, .tolerance = -1});
  refused(X, Matrix<double>(3, 4), {.n_clusters = 3});
  refused(Matrix<double>(0, 4), start, {.n_clusters = 3});
  Matrix<double> holed = X;
  holed(3, 3) = NAN;
  refused(holed, start, {.n_clusters = 3});
}

}  // namespace
}  // namespace krica
