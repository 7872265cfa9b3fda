// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "clustering/sparse_coding.hpp"
#include "krica/runtime/error.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

constexpr double kLambda = 0.15;

template <class Scalar>
Matrix<Scalar> unit_rows(Index rows, Index cols, std::uint64_t seed) {
  auto matrix = support::random_matrix<Scalar>(rows, cols, seed);
  matrix.view().rowwise().normalize();
  return matrix;
}

TEST(SparseCoding, SaysWhetherAnythingIsCoded) {
  const auto X = unit_rows<float>(40, 6, 1);
  const auto start = unit_rows<float>(5, 6, 2);
  const SparseCodingOptions options{.n_atoms = 5, .sparsity = 0.1, .max_iterations = 2};
  EXPECT_TRUE(sparse_coding<float>(Context(), X, start, options).coded);
  SparseCodingOptions strong = options;
  strong.sparsity = 100;
  EXPECT_FALSE(sparse_coding<float>(Context(), X, start, strong).coded);
}

/// f by plain coordinate descent on every sample.
double naive_cost(const Matrix<double>& X, const Matrix<double>& D) {
  double sum = 0;
  for (Index i = 0; i < X.rows(); ++i) {
    Eigen::VectorXd residual = X.view().row(i);
    Eigen::VectorXd code = Eigen::VectorXd::Zero(D.rows());
    for (int sweep = 0; sweep < 300; ++sweep) {
      for (Index u = 0; u < D.rows(); ++u) {
        const double square = D.view().row(u).squaredNorm();
        const double along = D.view().row(u).dot(residual) + square * code(u);
        const double next = std::copysign(std::max(0.0, std::abs(along) - kLambda), along) / square;
        residual -= (next - code(u)) * D.view().row(u).transpose();
        code(u) = next;
      }
    }
    sum += residual.squaredNorm() / 2 + kLambda * code.lpNorm<1>();
  }
  return sum / static_cast<double>(X.rows());
}

TEST(SparseCoding, ReportsTheObjectiveOfItsAtomsWhichNeverRises) {
  const auto X = unit_rows<double>(300, 10, 1);
  const Matrix<double> start = Matrix<double>::copy_of(X.view().topRows(25));
  double last = naive_cost(X, start);
  const auto result = sparse_coding<double>(
      Context(), X, start, {.n_atoms = 25, .sparsity = kLambda, .max_iterations = 30},
      [&](const ClusteringTurn<double>& turn) {
        EXPECT_LE(turn.cost, last * (1 + 1e-4));  // the first one: naive against ours
        last = turn.cost;
      });
  EXPECT_NEAR(result.cost, naive_cost(X, result.atoms), 1e-4 * result.cost);
  for (Index u = 0; u < 25; ++u) EXPECT_LE(result.atoms.view().row(u).norm(), 1 + 1e-9);
  EXPECT_GT(result.iterations, 2);
}

TEST(SparseCoding, HasTheSameBitsForAnyThreadsAndGoesOnWhereItStopped) {
  const auto X = unit_rows<float>(3000, 8, 2);
  const Matrix<float> start = Matrix<float>::copy_of(X.view().topRows(20));
  const SparseCodingOptions options{
      .n_atoms = 20, .sparsity = kLambda, .max_iterations = 6, .tolerance = 0};
  const auto one = sparse_coding<float>(Context({.threads = 1}), X, start, options);
  const auto four = sparse_coding<float>(Context({.threads = 4}), X, start, options);
  EXPECT_TRUE(one.atoms.view() == four.atoms.view());
  SparseCodingOptions half = options;
  half.max_iterations = 3;
  const auto before = sparse_coding<float>(Context(), X, start, half);
  const auto after = sparse_coding<float>(Context(), X, before.atoms, half);
  EXPECT_TRUE(one.atoms.view() == after.atoms.view());
}

TEST(SparseCoding, FloatAgreesWithDouble) {
  const auto X = unit_rows<float>(400, 9, 3);
  const Matrix<float> start = Matrix<float>::copy_of(X.view().topRows(20));
  const SparseCodingOptions options{.n_atoms = 20, .sparsity = kLambda, .max_iterations = 5};
  const double narrow = sparse_coding<float>(Context(), X, start, options).cost;
  const double wide = sparse_coding<double>(Context(), support::cast_to<double>(X),
                                            support::cast_to<double>(start), options)
                          .cost;
  EXPECT_NEAR(narrow, wide, 1e-3 * wide);
}

TEST(SparseCoding, ReplacesAtomsThatNothingUses) {
  Matrix<double> X = unit_rows<double>(200, 6, 4);
  for (Index i = 0; i < 200; ++i) X(i, 5) = 0;
  Matrix<double> start = Matrix<double>::copy_of(X.view().topRows(10));
  start.view().row(3).setZero();
  start(3, 5) = 1;  // orthogonal to all samples
  const auto result =
      sparse_coding<double>(Context(), X, start, {.n_atoms = 10, .sparsity = kLambda});
  EXPECT_EQ(result.atoms(3, 5), 0);
}

TEST(SparseCoding, RefusesBadInput) {
  const auto X = unit_rows<float>(30, 4, 1);
  const auto start = unit_rows<float>(5, 4, 2);
  EXPECT_THROW(sparse_coding<float>(Context(), X, start, {.n_atoms = 6}), InvalidArgument);
  EXPECT_THROW(sparse_coding<float>(Context(), X, start, {.n_atoms = 5, .sparsity = 0}),
               InvalidArgument);
  EXPECT_THROW(sparse_coding<float>(Context(), X, Matrix<float>(5, 4), {.n_atoms = 5}),
               InvalidArgument);
  auto holed = X;
  holed(2, 2) = NAN;
  EXPECT_THROW(sparse_coding<float>(Context(), holed, start, {.n_atoms = 5}), InvalidArgument);
}

}  // namespace
}  // namespace krica
