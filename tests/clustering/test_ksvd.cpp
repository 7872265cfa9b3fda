// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "clustering/ksvd.hpp"
#include "krica/runtime/error.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

template <class Scalar>
Matrix<Scalar> unit_rows(Index rows, Index cols, std::uint64_t seed) {
  auto matrix = support::random_matrix<Scalar>(rows, cols, seed);
  matrix.view().rowwise().normalize();
  return matrix;
}

/// Samples of three atoms each with noise, and the dictionary that made them: Aharon, Elad and
/// Bruckstein's experiment.
struct MadeUp {
  Matrix<double> dictionary = Matrix<double>(50, 20);
  Matrix<double> X = Matrix<double>(1500, 20);

  MadeUp(std::uint64_t seed, double decibels) : dictionary(unit_rows<double>(50, 20, seed)) {
    Random random(seed, "tests.ksvd");
    for (Index i = 0; i < X.rows(); ++i) {
      for (const Index u : random_subset(random, 50, 3))
        X.view().row(i) += random.normal() * dictionary.view().row(u);
    }
    Matrix<double> noise = support::random_matrix<double>(1500, 20, seed + 100);
    noise.view() *= X.view().norm() / noise.view().norm() * std::pow(10, -decibels / 20);
    X.view() += noise.view();
  }

  [[nodiscard]] Matrix<double> start() const {
    return Matrix<double>::copy_of(X.view().topRows(50));
  }

  /// The fraction of the atoms that were found.
  [[nodiscard]] double recovered(const Matrix<double>& atoms) const {
    const Eigen::MatrixXd similar = (dictionary.view() * atoms.view().transpose()).cwiseAbs();
    return static_cast<double>((similar.rowwise().maxCoeff().array() > 0.99).count()) / 50;
  }
};

TEST(Ksvd, RecoversTheDictionaryThatMadeTheSamples) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const MadeUp problem(seed, 20);
    const auto result =
        ksvd<double>(Context(), problem.X, problem.start(), {.n_atoms = 50, .nonzeros = 3});
    sum += problem.recovered(result.atoms);
  }
  EXPECT_GE(sum / 3, 0.88);
}

TEST(Ksvd, HasUnitAtomsAndTheCostOfItsCodes) {
  const MadeUp problem(7, 30);
  const KsvdOptions options{.n_atoms = 50, .nonzeros = 3, .max_iterations = 10};
  double cost = 0;
  const auto result = ksvd<double>(Context(), problem.X, problem.start(), options,
                                   [&](const ClusteringTurn<double>& turn) { cost = turn.cost; });
  EXPECT_EQ(cost, result.cost);
  for (Index u = 0; u < 50; ++u) EXPECT_NEAR(result.atoms.view().row(u).norm(), 1, 1e-12);
  EXPECT_LT(result.cost, ksvd<double>(Context(), problem.X, problem.start(),
                                      {.n_atoms = 50, .nonzeros = 3, .max_iterations = 0})
                             .cost);
}

/// With one non-zero the update is a gain-weighted mean of the atom's samples.
TEST(Ksvd, OneNonzeroIsGainShapeQuantisation) {
  const auto X = support::random_matrix<double>(200, 5, 3);
  const auto start = unit_rows<double>(7, 5, 4);
  const auto result =
      ksvd<double>(Context(), X, start, {.n_atoms = 7, .nonzeros = 1, .max_iterations = 1});
  const Eigen::MatrixXd gains = X.view() * start.view().transpose();
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(7, 5);
  for (Index i = 0; i < 200; ++i) {
    Index best = 0;
    gains.row(i).cwiseAbs().maxCoeff(&best);
    sums.row(best) += gains(i, best) * X.view().row(i);
  }
  sums.rowwise().normalize();
  EXPECT_LT((result.atoms.view() - sums).norm(), 1e-9);
}

TEST(Ksvd, HasTheSameBitsForAnyThreadsAndGoesOnWhereItStopped) {
  const auto X = support::cast_to<float>(MadeUp(5, 20).X);
  const Matrix<float> start = Matrix<float>::copy_of(X.view().topRows(50));
  const KsvdOptions options{.n_atoms = 50, .nonzeros = 3, .max_iterations = 6};
  const auto one = ksvd<float>(Context({.threads = 1}), X, start, options);
  const auto four = ksvd<float>(Context({.threads = 4}), X, start, options);
  EXPECT_TRUE(one.atoms.view() == four.atoms.view());
  KsvdOptions half = options;
  half.max_iterations = 3;
  const auto before = ksvd<float>(Context(), X, start, half);
  const auto after = ksvd<float>(Context(), X, before.atoms, half);
  EXPECT_TRUE(one.atoms.view() == after.atoms.view());
}

TEST(Ksvd, ReplacesAtomsThatCoincide) {
  const MadeUp problem(9, 20);
  Matrix<double> start = problem.start();
  for (Index u = 1; u < 50; u += 2) start.view().row(u) = -start.view().row(u - 1);
  const auto result = ksvd<double>(Context(), problem.X, start, {.n_atoms = 50, .nonzeros = 3});
  EXPECT_GE(problem.recovered(result.atoms), 0.8);
}

TEST(Ksvd, RefusesBadInput) {
  const auto X = support::random_matrix<float>(30, 4, 1);
  const auto start = unit_rows<float>(5, 4, 2);
  EXPECT_THROW(ksvd<float>(Context(), X, start, {.n_atoms = 6}), InvalidArgument);
  EXPECT_THROW(ksvd<float>(Context(), X, start, {.n_atoms = 5, .nonzeros = 0}), InvalidArgument);
  EXPECT_THROW(ksvd<float>(Context(), X, Matrix<float>(5, 4), {.n_atoms = 5}), InvalidArgument);
  auto holed = X;
  holed(2, 2) = NAN;
  EXPECT_THROW(ksvd<float>(Context(), holed, start, {.n_atoms = 5}), InvalidArgument);
}

}  // namespace
}  // namespace krica
