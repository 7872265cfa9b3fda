// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <set>

#include "krica/runtime/error.hpp"
#include "solvers/batch_omp.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

/// The textbook pursuit: residuals, and least squares over the chosen atoms in every step.
Eigen::VectorXd naive_pursuit(const RowMajor<double>& atoms, const Eigen::VectorXd& x,
                              Index nonzeros) {
  std::vector<Index> chosen;
  Eigen::VectorXd code = Eigen::VectorXd::Zero(atoms.rows());
  Eigen::VectorXd residual = x;
  for (Index k = 0; k < nonzeros; ++k) {
    Index best = 0;
    (atoms * residual).cwiseAbs().maxCoeff(&best);
    chosen.push_back(best);
    Eigen::MatrixXd columns(atoms.cols(), std::ssize(chosen));
    for (Index t = 0; t < columns.cols(); ++t)
      columns.col(t) = atoms.row(chosen[static_cast<std::size_t>(t)]);
    const Eigen::VectorXd values = columns.colPivHouseholderQr().solve(x);
    residual = x - columns * values;
    code.setZero();
    for (Index t = 0; t < columns.cols(); ++t)
      code(chosen[static_cast<std::size_t>(t)]) = values(t);
  }
  return code;
}

template <class Scalar>
Matrix<Scalar> unit_rows(Index rows, Index cols, std::uint64_t seed) {
  auto matrix = support::random_matrix<Scalar>(rows, cols, seed);
  matrix.view().rowwise().normalize();
  return matrix;
}

template <class Scalar>
Matrix<Scalar> dense(const SparseCodes<Scalar>& codes, Index atoms) {
  Matrix<Scalar> all(codes.samples(), atoms);
  for (Index i = 0; i < codes.samples(); ++i) {
    for (Index t = 0; t < codes.count(i); ++t)
      all(i, codes.atoms(i)[static_cast<std::size_t>(t)]) =
          codes.values(i)[static_cast<std::size_t>(t)];
  }
  return all;
}

TEST(BatchOmp, FindsWhatTheTextbookFinds) {
  const auto atoms = unit_rows<double>(40, 12, 1);
  const auto X = support::random_matrix<double>(300, 12, 2);
  for (const Index nonzeros : {1, 2, 5, 9}) {
    const BatchOmp<double> omp(Context(), atoms, {.nonzeros = nonzeros});
    SparseCodes<double> codes(X.rows(), omp.capacity());
    std::vector<double> residuals(300);
    const double total = omp.encode(Context(), X, codes, residuals.data());
    const Matrix<double> found = dense(codes, 40);
    double sum = 0;
    for (Index i = 0; i < X.rows(); ++i) {
      const Eigen::VectorXd wanted = naive_pursuit(atoms.view(), X.view().row(i), nonzeros);
      EXPECT_LT((found.view().row(i).transpose() - wanted).norm(), 1e-9) << i;
      const double rest =
          (X.view().row(i).transpose() - atoms.view().transpose() * wanted).squaredNorm();
      EXPECT_NEAR(residuals[static_cast<std::size_t>(i)], rest, 1e-9);
      sum += rest;
    }
    EXPECT_NEAR(total, sum, 1e-7);
  }
}

TEST(BatchOmp, FloatFindsWhatDoubleFinds) {
  const auto atoms = unit_rows<float>(60, 20, 3);
  const auto X = support::random_matrix<float>(200, 20, 4);
  const BatchOmp<float> narrow(Context(), atoms, {.nonzeros = 6});
  const BatchOmp<double> wide(Context(), support::cast_to<double>(atoms), {.nonzeros = 6});
  SparseCodes<float> codes(200, 6);
  SparseCodes<double> reference(200, 6);
  const double cost = narrow.encode(Context(), X, codes);
  const double wanted = wide.encode(Context(), support::cast_to<double>(X), reference);
  EXPECT_NEAR(cost, wanted, 1e-4 * wanted);
  int same = 0;
  for (Index i = 0; i < 200; ++i) {
    const auto a = codes.atoms(i);
    const auto b = reference.atoms(i);
    same += std::set(a.begin(), a.end()) == std::set(b.begin(), b.end()) ? 1 : 0;
  }
  EXPECT_GE(same, 198);
}

TEST(BatchOmp, StopsAtTheResidualAndWhereNothingIsLeft) {
  const auto atoms = unit_rows<double>(30, 10, 5);
  Matrix<double> X(3, 10);
  X.view().row(0) = 2 * atoms.view().row(7) - 0.5 * atoms.view().row(3);
  X.view().row(1) = support::random_matrix<double>(1, 10, 6).view();  // row 2 stays zero
  const BatchOmp<double> exact(Context(), atoms, {.nonzeros = 30});
  SparseCodes<double> codes(3, 30);
  exact.encode(Context(), X, codes);
  EXPECT_LE(codes.count(1), 10) << "ten atoms span the space";
  EXPECT_EQ(codes.count(2), 0);
  const BatchOmp<double> rough(Context(), atoms, {.nonzeros = 30, .residual = 0.3});
  std::vector<double> residuals(3);
  rough.encode(Context(), X, codes, residuals.data());
  EXPECT_LE(residuals[0], 0.3);
  EXPECT_LE(residuals[1], 0.3);
  EXPECT_LT(codes.count(0), 3);
}

TEST(BatchOmp, AtomsOfAnyLengthGiveCodesForThem) {
  auto atoms = unit_rows<double>(20, 8, 7);
  const auto X = support::random_matrix<double>(50, 8, 8);
  SparseCodes<double> codes(50, 3);
  BatchOmp<double>(Context(), atoms, {.nonzeros = 3}).encode(Context(), X, codes);
  const Matrix<double> unit = dense(codes, 20);
  for (Index u = 0; u < 20; ++u) atoms.view().row(u) *= 1 + static_cast<double>(u);
  atoms.view().row(4).setZero();
  BatchOmp<double>(Context(), atoms, {.nonzeros = 3}).encode(Context(), X, codes);
  const Matrix<double> scaled = dense(codes, 20);
  for (Index i = 0; i < 50; ++i) {
    EXPECT_EQ(scaled(i, 4), 0);
    if (unit(i, 4) != 0) continue;
    for (Index u = 0; u < 20; ++u)
      EXPECT_NEAR(scaled(i, u) * (1 + static_cast<double>(u)), unit(i, u), 1e-9);
  }
}

TEST(BatchOmp, DuplicateAtomsAreUsedOnce) {
  Matrix<float> atoms(6, 3);
  for (Index u = 0; u < 6; ++u) atoms(u, u / 2) = 1;
  const auto X = support::random_matrix<float>(20, 3, 9);
  const BatchOmp<float> omp(Context(), atoms, {.nonzeros = 6});
  SparseCodes<float> codes(20, 6);
  EXPECT_NEAR(omp.encode(Context(), X, codes), 0, 1e-5);
  for (Index i = 0; i < 20; ++i) EXPECT_LE(codes.count(i), 3);
}

TEST(BatchOmp, HasTheSameBitsForAnyThreads) {
  const auto atoms = unit_rows<float>(50, 16, 10);
  const auto X = support::random_matrix<float>(1000, 16, 11);
  SparseCodes<float> one(1000, 4);
  SparseCodes<float> three(1000, 4);
  const Context serial({.threads = 1});
  const Context parallel({.threads = 3});
  const double a = BatchOmp<float>(serial, atoms, {.nonzeros = 4}).encode(serial, X, one);
  const double b = BatchOmp<float>(parallel, atoms, {.nonzeros = 4}).encode(parallel, X, three);
  EXPECT_EQ(a, b);
  EXPECT_TRUE(dense(one, 50).view() == dense(three, 50).view());
}

TEST(BatchOmp, RefusesBadInput) {
  const auto atoms = unit_rows<float>(5, 4, 1);
  EXPECT_THROW(BatchOmp<float>(Context(), atoms, {.nonzeros = 0}), InvalidArgument);
  EXPECT_THROW(BatchOmp<float>(Context(), atoms, {.nonzeros = 1, .residual = -1}), InvalidArgument);
  EXPECT_THROW(BatchOmp<float>(Context(), Matrix<float>(0, 4), {}), InvalidArgument);
  auto holed = atoms;
  holed(1, 1) = NAN;
  EXPECT_THROW(BatchOmp<float>(Context(), holed, {}), InvalidArgument);
  SparseCodes<float> codes(2, 1);
  EXPECT_THROW(BatchOmp<float>(Context(), atoms, {}).encode(Context(), Matrix<float>(2, 3), codes),
               InvalidArgument);
}

}  // namespace
}  // namespace krica
