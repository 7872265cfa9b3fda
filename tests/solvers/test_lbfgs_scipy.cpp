// SPDX-License-Identifier: BSD-3-Clause
//
// L-BFGS against SciPy's L-BFGS-B on the same data from the same starts (scipy_reference.py).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "krica/objectives/rica.hpp"
#include "krica/solvers/lbfgs.hpp"
#include "solvers/portable_problems.hpp"
#include "solvers/scipy_reference.hpp"
#include "solvers/toys.hpp"

namespace krica {
namespace {

using toys::Function;
using toys::Observed;

/// As many evaluations as SciPy, and half as many again.
constexpr double kMostEvaluations = 1.5;

struct Reached {
  SolverResult<double> result;
  Index evaluations = 0;  // until f <= target; 0: never
};

Reached minimized(Objective<double>& objective, const Matrix<double>& start, double target) {
  Reached reached;
  Observed<double> observed(objective);
  observed.after = [&](Index count, double f) {
    if (f <= target && reached.evaluations == 0) reached.evaluations = count;
    return f;
  };
  const Context context({.threads = 1});
  reached.result =
      Lbfgs<double>({.max_iterations = 5000, .gradient_tolerance = 1e-6, .value_tolerance = 0})
          .minimize(context, observed, start);
  return reached;
}

void expect_as_good_as(const scipy::Minimum& scipy, const Reached& ours) {
  const double scale = scipy.value > scipy::kTarget ? scipy.value : 1.0;
  EXPECT_LE(ours.result.value, scipy.value + scipy::kTarget * scale);
  EXPECT_GE(ours.result.value, scipy.value - scipy::kTarget * scale);
  EXPECT_EQ(ours.result.status, Status::kConverged) << name_of(ours.result.status);
  ASSERT_GT(ours.evaluations, 0) << "the optimum was not reached";
  EXPECT_LE(static_cast<double>(ours.evaluations),
            kMostEvaluations * static_cast<double>(scipy.evaluations));
  std::printf("evaluations to the optimum: %ld, SciPy %ld; until the end: %ld, SciPy %ld\n",
              static_cast<long>(ours.evaluations), scipy.evaluations,
              static_cast<long>(ours.result.evaluations), scipy.evaluations_done);
}

class RosenbrockAgainstScipy : public testing::TestWithParam<scipy::Minimum> {};

TEST_P(RosenbrockAgainstScipy, ReachesTheOptimumInAsManyEvaluations) {
  const Index n = GetParam().problem;
  Function<double> objective(1, n, toys::rosenbrock<double>);
  expect_as_good_as(GetParam(),
                    minimized(objective, toys::rosenbrock_start<double>(n), scipy::kTarget));
}

INSTANTIATE_TEST_SUITE_P(Lbfgs, RosenbrockAgainstScipy, testing::ValuesIn(scipy::kRosenbrock),
                         [](const auto& row) { return fmt::format("n{}", row.param.problem); });

class CompleteRicaAgainstScipy : public testing::TestWithParam<scipy::Minimum> {};

TEST_P(CompleteRicaAgainstScipy, ReachesTheOptimumInAsManyEvaluations) {
  const Matrix<double> X = portable::whitened_mixtures(8, 8, 2000, 1);
  ASSERT_NEAR(portable::check_sum(X), scipy::kCompleteCheckSum, 1e-8);
  const Context context({.threads = 1});
  RicaObjective<double> objective(X, {.n_components = 8, .weight = 0.1});
  const auto seed = static_cast<std::uint64_t>(GetParam().problem);
  expect_as_good_as(GetParam(), minimized(objective, portable::random_start(8, 8, seed),
                                          GetParam().value * (1 + scipy::kTarget)));
}

INSTANTIATE_TEST_SUITE_P(Lbfgs, CompleteRicaAgainstScipy, testing::ValuesIn(scipy::kComplete),
                         [](const auto& row) { return fmt::format("start{}", row.param.problem); });

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// How many atoms coincide with another one, up to sign: the cosine of 1e-3 apart.
Index atoms_that_met(ConstMatrixView<double> W) {
  constexpr double kCosine = 1 - 1e-3 * 1e-3 / 2;
  Index met = 0;
  for (Index u = 0; u < W.rows(); ++u) {
    double closest = 0;
    for (Index v = 0; v < W.rows(); ++v) {
      if (v == u) continue;
      closest =
          std::max(closest, std::abs(W.row(u).dot(W.row(v))) / (W.row(u).norm() * W.row(v).norm()));
    }
    if (closest > kCosine) ++met;
  }
  return met;
}

class OvercompleteRicaAgainstScipy : public testing::TestWithParam<scipy::Median> {};

TEST_P(OvercompleteRicaAgainstScipy, ReachesStationaryPointsAsLow) {
  const Index n = 6;
  const Index K = GetParam().K;
  const Matrix<double> X = portable::whitened_mixtures(n, 2 * n, 1000, 2);
  ASSERT_NEAR(portable::check_sum(X), scipy::kOvercompleteCheckSum, 1e-8);
  const Context context({.threads = 1});
  RicaObjective<double> objective(X,
                                  {.n_components = K, .weight = 0.5, .row_norm = RowNorm::kExact});
  std::vector<double> values;
  std::vector<double> evaluations;
  for (std::uint64_t seed = 200; seed < 210; ++seed) {
    const auto result = Lbfgs<double>({.max_iterations = 5000, .value_tolerance = 0})
                            .minimize(context, objective, portable::random_start(K, n, seed));
    // 24 atoms in 6 dimensions: some meet, in SciPy's minima up to half of them.
    const Index met = atoms_that_met(result.best);
    const bool most_met = 2 * met > K;
    EXPECT_EQ(result.status, most_met ? Status::kCollapsed : Status::kConverged)
        << name_of(result.status) << ", " << met << " atoms met";
    if (GetParam().met == 0) {
      EXPECT_EQ(met, 0);
    }
    EXPECT_LE(result.value, GetParam().highest * 1.001);
    EXPECT_LE(result.gradient_norm, 1e-5 * std::max(1.0, result.best.view().norm()));
    values.push_back(result.value);
    evaluations.push_back(static_cast<double>(result.evaluations));
  }
  EXPECT_NEAR(median(values), GetParam().value, 0.005 * GetParam().value);
  std::printf("K = %ld: median f %.6f, SciPy %.6f; median evaluations %.1f, SciPy %.1f\n",
              static_cast<long>(K), median(values), GetParam().value, median(evaluations),
              GetParam().evaluations);
}

INSTANTIATE_TEST_SUITE_P(Lbfgs, OvercompleteRicaAgainstScipy,
                         testing::ValuesIn(scipy::kOvercomplete),
                         [](const auto& row) { return fmt::format("K{}", row.param.K); });

}  // namespace
}  // namespace krica
