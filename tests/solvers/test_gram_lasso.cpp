// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "krica/runtime/error.hpp"
#include "solvers/gram_lasso.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

constexpr double kLambda = 0.4;

/// K random atoms in R^n and one sample.
struct LassoProblem {
  Matrix<double> G;
  std::vector<double> c;
  double self = 0;
  Matrix<double> atoms;
  Eigen::VectorXd x;

  LassoProblem(Index K, Index n, std::uint64_t seed)
      : G(K, K), atoms(support::random_matrix<double>(K, n, seed)) {
    x = support::random_matrix<double>(1, n, seed + 1000).view().row(0);
    atoms.view().rowwise().normalize();
    G.view() = atoms.view() * atoms.view().transpose();
    const Eigen::VectorXd products = atoms.view() * x;
    c.assign(products.data(), products.data() + K);
    self = x.squaredNorm();
  }

  [[nodiscard]] double value(const std::vector<double>& s) const {
    const Eigen::Map<const Eigen::VectorXd> code(s.data(), static_cast<Index>(s.size()));
    return (x - atoms.view().transpose() * code).squaredNorm() + kLambda * code.lpNorm<1>();
  }

  /// The optimality conditions: 2 φ_u·r = λ sign(s_u) where s_u is not 0, |2 φ_u·r| <= λ elsewhere.
  [[nodiscard]] double violation(const std::vector<double>& s) const {
    const Eigen::Map<const Eigen::VectorXd> code(s.data(), static_cast<Index>(s.size()));
    const Eigen::VectorXd slope = 2 * (atoms.view() * (x - atoms.view().transpose() * code));
    double worst = 0;
    for (Index u = 0; u < code.size(); ++u) {
      const double miss = code(u) != 0 ? std::abs(slope(u) - std::copysign(kLambda, code(u)))
                                       : std::max(0.0, std::abs(slope(u)) - kLambda);
      worst = std::max(worst, miss);
    }
    return worst;
  }
};

class LassoShape : public testing::TestWithParam<std::pair<Index, Index>> {};

TEST_P(LassoShape, MeetsTheOptimalityConditions) {
  const auto [K, n] = GetParam();
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const LassoProblem problem(K, n, seed);
    const GramLasso<double> lasso(problem.G,
                                  {.sparsity = kLambda, .tolerance = 1e-12, .max_sweeps = 100000});
    std::vector<double> code(static_cast<std::size_t>(K), 0.0);
    const GramLassoResult result = lasso.solve(problem.c, problem.self, code);
    EXPECT_LT(problem.violation(code), 1e-4);
    EXPECT_NEAR(result.value, problem.value(code), 1e-10);
    EXPECT_LE(result.gap, 1e-12 * problem.self);
  }
}

TEST_P(LassoShape, TheGapIsABoundAndTheToleranceIsKept) {
  const auto [K, n] = GetParam();
  const LassoProblem problem(K, n, 9);
  std::vector<double> best(static_cast<std::size_t>(K), 0.0);
  const double least =
      GramLasso<double>(problem.G, {.sparsity = kLambda, .tolerance = 1e-13, .max_sweeps = 100000})
          .solve(problem.c, problem.self, best)
          .value;
  for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
    std::vector<double> code(static_cast<std::size_t>(K), 0.0);
    const auto result = GramLasso<double>(problem.G, {.sparsity = kLambda, .tolerance = tolerance})
                            .solve(problem.c, problem.self, code);
    EXPECT_LE(result.gap, tolerance * problem.self);
    EXPECT_LE(result.value - least, result.gap + 1e-12);
    // From the solution there is nothing to do.
    EXPECT_EQ(GramLasso<double>(problem.G, {.sparsity = kLambda, .tolerance = 2 * tolerance})
                  .solve(problem.c, problem.self, code)
                  .sweeps,
              0);
  }
}

INSTANTIATE_TEST_SUITE_P(GramLasso, LassoShape,
                         testing::Values(std::pair<Index, Index>{1, 3},
                                         std::pair<Index, Index>{8, 20},
                                         std::pair<Index, Index>{40, 12}));

TEST(GramLasso, ALargeWeightGivesZero) {
  const LassoProblem problem(10, 6, 3);
  std::vector<double> code(10, 0.5);
  const auto result =
      GramLasso<double>(problem.G, {.sparsity = 1e3}).solve(problem.c, problem.self, code);
  for (const double entry : code) EXPECT_EQ(entry, 0);
  EXPECT_NEAR(result.value, problem.self, 1e-12);
}

TEST(GramLasso, RefusesBadInput) {
  const LassoProblem problem(4, 6, 3);
  EXPECT_THROW(GramLasso<double>(problem.G, {.sparsity = 0}), InvalidArgument);
  EXPECT_THROW(GramLasso<double>(problem.G, {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW(GramLasso<double>(problem.G, {.max_sweeps = 0}), InvalidArgument);
  EXPECT_THROW(GramLasso<double>(Matrix<double>(3, 4), {}), InvalidArgument);
  EXPECT_THROW(GramLasso<double>(Matrix<double>(3, 3), {}), InvalidArgument) << "atoms of length 0";
  Matrix<double> holed = problem.G;
  holed(0, 1) = NAN;
  EXPECT_THROW(GramLasso<double>(holed, {}), InvalidArgument);
}

}  // namespace
}  // namespace krica
