// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "objectives/contract.hpp"
#include "objectives/sparse_filtering.hpp"

namespace krica {
namespace {

constexpr double kSoft = 1e-8;

template <class Scalar>
std::unique_ptr<SampledObjective<Scalar>> make(const Context&, const Matrix<Scalar>& X) {
  return std::make_unique<SparseFilteringObjective<Scalar>>(X, 12);
}

/// The header's four lines.
double naive(const Matrix<double>& X, const Matrix<double>& W) {
  RowMajor<double> F = (X.view() * W.view().transpose()).eval();
  F = (F.array().square() + kSoft).sqrt().matrix().eval();
  for (Index u = 0; u < F.cols(); ++u) F.col(u) /= std::sqrt(F.col(u).squaredNorm() + kSoft);
  for (Index i = 0; i < F.rows(); ++i) F.row(i) /= std::sqrt(F.row(i).squaredNorm() + kSoft);
  return F.sum() / static_cast<double>(X.rows());
}

TEST(SparseFiltering, IsItsFormula) {
  const support::Problem problem = support::random_problem();
  support::expect_formula(&make<double>, &naive, problem.X, problem.W);
}

TEST(SparseFiltering, IsSteady) {
  support::expect_steady(&make<float>, &make<double>, support::random_matrix<float>(700, 9, 1),
                         support::random_matrix<float>(12, 9, 2));
}

TEST(SparseFiltering, RefusesBadInput) {
  const support::Problem problem = support::random_problem();
  support::expect_refusals(&make<double>, problem.X, problem.W);
  EXPECT_THROW(SparseFilteringObjective<double>(problem.X, 0), InvalidArgument);
}

TEST(SparseFiltering, DoesNotNoticeTheLengthOfAnAtom) {
  const support::Problem problem = support::random_problem();
  Matrix<double> longer = problem.W;
  longer.view().row(3) *= 2;
  const Context context;
  const auto objective = make<double>(context, problem.X);
  // Exactly so without ε.
  EXPECT_LT(support::relative_error(objective->value(context, longer),
                                    objective->value(context, problem.W)),
            1e-6);
}

}  // namespace
}  // namespace krica
