// SPDX-License-Identifier: BSD-3-Clause
//
// AtomSet's two operations: values with slopes, and sums that become Σ_i A_ip ∂κ(w_p, x_i)/∂w_p.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "kernels/atom_set.hpp"
#include "support/comparison.hpp"
#include "support/kernels.hpp"
#include "support/problems.hpp"
#include "support/reference.hpp"
#include "support/tolerances.hpp"

namespace krica {
namespace {

using support::kAllKernels;
using support::kernel_of;

template <class Scalar>
struct Slopes {
  Matrix<Scalar> values;
  Matrix<Scalar> slopes;
};

template <class Scalar>
Slopes<Scalar> evaluate(const AtomSet<Scalar>& atoms, const Matrix<Scalar>& X) {
  Matrix<Scalar> values(X.rows(), atoms.count());
  Matrix<Scalar> slopes(X.rows(), atoms.count());
  MatrixView<Scalar> slope_view(slopes);
  atoms.evaluate(X, values, &slope_view);
  return {std::move(values), std::move(slopes)};
}

/// Σ_i A_ip ∂κ(w_p, x_i)/∂w_p through `accumulate`, the atoms in parts.
Matrix<double> weighted_derivatives(const AtomSet<double>& atoms, const Matrix<double>& A,
                                    const Matrix<double>& slopes, const Matrix<double>& X) {
  Matrix<double> M = A;
  M.view().array() *= slopes.view().array();
  const Index K = atoms.count();
  Matrix<double> sums(K, X.cols());
  std::vector<double> totals(static_cast<std::size_t>(K), 0.0);
  const Partition parts(K, 5);
  for (Index part = 0; part < parts.count(); ++part)
    atoms.accumulate(parts[part], M, X, sums, totals);
  Matrix<double> gradient(K, X.cols());
  for (Index p = 0; p < K; ++p)
    atoms.finish_gradient(p, totals[static_cast<std::size_t>(p)], sums.row(p), gradient.row(p));
  return gradient;
}

Matrix<double> expected_derivatives(const Kernel& kernel, const Matrix<double>& A,
                                    const Matrix<double>& X, const Matrix<double>& W) {
  Matrix<double> gradient(W.rows(), W.cols());
  for (Index p = 0; p < W.rows(); ++p) {
    for (Index i = 0; i < X.rows(); ++i) {
      const auto slope = reference::kernel_derivative(kernel, W.row(p), X.row(i), X.cols());
      for (Index j = 0; j < X.cols(); ++j)
        gradient(p, j) += A(i, p) * slope[static_cast<std::size_t>(j)];
    }
  }
  return gradient;
}

class EveryAtomSet : public testing::TestWithParam<KernelKind> {
 protected:
  const Kernel kernel_ = kernel_of(GetParam());
  const support::Problem problem_ = support::random_problem({.m = 37, .n = 6, .K = 13});
};

TEST_P(EveryAtomSet, SumsTheDerivativesOverSamples) {
  const AtomSet<double> atoms(kernel_, problem_.W);
  const Matrix<double> A = support::random_matrix<double>(37, 13);
  const auto [values, slopes] = evaluate(atoms, problem_.X);
  const Matrix<double> gradient = weighted_derivatives(atoms, A, slopes, problem_.X);
  const Matrix<double> expected = expected_derivatives(kernel_, A, problem_.X, problem_.W);
  EXPECT_LE(support::relative_error(gradient, expected), support::kSameValue);
}

TEST_P(EveryAtomSet, SumsTheDerivativesOverItsOwnAtoms) {
  // On the diagonal w - w vanishes, and the histogram intersection takes its half.
  const AtomSet<double> atoms(kernel_, problem_.W);
  const Matrix<double> A = support::random_matrix<double>(13, 13);
  Matrix<double> values(13, 13);
  Matrix<double> slopes(13, 13);
  MatrixView<double> slope_view(slopes);
  atoms.evaluate_self(Context(), values, &slope_view);
  const Matrix<double> gradient = weighted_derivatives(atoms, A, slopes, problem_.W);
  const Matrix<double> expected = expected_derivatives(kernel_, A, problem_.W, problem_.W);
  EXPECT_LE(support::relative_error(gradient, expected), support::kSameValue);
}

TEST_P(EveryAtomSet, GivesTheSameValuesWithAndWithoutSlopes) {
  const Matrix<float> X = support::cast_to<float>(problem_.X);
  const Matrix<float> W = support::cast_to<float>(problem_.W);
  const AtomSet<float> atoms(kernel_, W);
  Matrix<float> values(X.rows(), W.rows());
  atoms.evaluate(X, values, nullptr);
  EXPECT_TRUE(support::same_bits(values, evaluate(atoms, X).values));
}

TEST_P(EveryAtomSet, SelfKernelIsTheKernelOfAVectorWithItself) {
  for (Index i = 0; i < problem_.X.rows(); ++i) {
    const double* x = problem_.X.row(i);
    EXPECT_LE(
        support::relative_error(self_kernel(kernel_, x, 6), reference::kernel(kernel_, x, x, 6)),
        support::kKernelValue);
  }
}

INSTANTIATE_TEST_SUITE_P(AtomSet, EveryAtomSet, testing::ValuesIn(kAllKernels),
                         [](const auto& test) { return support::test_name(test.param); });

}  // namespace
}  // namespace krica
