// SPDX-License-Identifier: BSD-3-Clause
//
// One way to run any of the solvers, and a small problem on which each of them works.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "krica/objectives/krica.hpp"
#include "krica/solvers/adam.hpp"
#include "krica/solvers/fixed_point.hpp"
#include "krica/solvers/lbfgs.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"

namespace krica::tests {

enum class SolverKind { kLbfgs, kFixedPoint, kAdam };

/// A solver and its number of iterations (Adam: epochs).
template <SolverKind kind, class Scalar_>
struct Runner {
  using Scalar = Scalar_;
  static constexpr SolverKind kKind = kind;

  Index limit = 12;
  SolverHooks hooks = {};

  template <class Objective>
  SolverResult<Scalar> minimize(const Context& context, Objective& objective,
                                const Matrix<Scalar>& start) const {
    return with_solver([&](auto solver) { return solver.minimize(context, objective, start); });
  }
  template <class Objective>
  SolverResult<Scalar> resume(const Context& context, Objective& objective,
                              const Archive& state) const {
    return with_solver([&](auto solver) { return solver.resume(context, objective, state); });
  }

 private:
  template <class Call>
  SolverResult<Scalar> with_solver(Call&& call) const {
    if constexpr (kind == SolverKind::kLbfgs) {
      return call(Lbfgs<Scalar>({.max_iterations = limit, .value_tolerance = 0}, hooks));
    } else if constexpr (kind == SolverKind::kFixedPoint) {
      return call(FixedPoint<Scalar>({.max_iterations = limit, .value_tolerance = 0}, hooks));
    } else {
      return call(Adam<Scalar>(
          {.epochs = limit, .batch = 16, .rate = 0.02, .patience = 1000, .min_improvement = 0},
          hooks));
    }
  }
};

template <class Scalar>
using LbfgsRunner = Runner<SolverKind::kLbfgs, Scalar>;
template <class Scalar>
using FixedPointRunner = Runner<SolverKind::kFixedPoint, Scalar>;
template <class Scalar>
using AdamRunner = Runner<SolverKind::kAdam, Scalar>;

using AllRunners = testing::Types<LbfgsRunner<double>, LbfgsRunner<float>, FixedPointRunner<double>,
                                  FixedPointRunner<float>, AdamRunner<double>, AdamRunner<float>>;

struct RunnerNames {
  template <class R>
  static std::string GetName(int) {
    const char* const names[] = {"Lbfgs", "FixedPoint", "Adam"};
    return std::string(names[static_cast<int>(R::kKind)]) +
           (sizeof(typename R::Scalar) == 4 ? "Float" : "Double");
  }
};

/// kRICA with the Gaussian kernel on random samples, and a start near some of them.
template <class Scalar>
struct KricaProblem {
  Matrix<Scalar> X;
  Matrix<Scalar> start;
  KricaOptions options;

  explicit KricaProblem(support::ProblemSize size = {.m = 80, .n = 4, .K = 6},
                        Kernel kernel = {.gamma = 2.0}, std::uint64_t seed = 3)
      : options{.n_components = size.K, .kernel = kernel, .sparsity = 0.1} {
    const support::Problem problem = support::random_problem(size, seed);
    X = support::cast_to<Scalar>(problem.X);
    start = support::cast_to<Scalar>(problem.W);
  }
  [[nodiscard]] KricaObjective<Scalar> objective() const { return {X, options}; }
};

inline bool same_rows(const std::vector<HistoryRow>& a, const std::vector<HistoryRow>& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) {
    same = a[i].iteration == b[i].iteration && a[i].evaluations == b[i].evaluations &&
           support::same_bits(a[i].value, b[i].value) &&
           support::same_bits(a[i].training_value, b[i].training_value) &&
           support::same_bits(a[i].gradient_norm, b[i].gradient_norm) &&
           support::same_bits(a[i].change, b[i].change) && support::same_bits(a[i].step, b[i].step);
  }
  return same;
}

/// Bit for bit, the saved state included.
template <class Scalar>
void expect_same(const SolverResult<Scalar>& a, const SolverResult<Scalar>& b,
                 const std::string& when) {
  SCOPED_TRACE(when);
  EXPECT_EQ(name_of(a.status), name_of(b.status));
  EXPECT_TRUE(support::same_bits(a.best, b.best));
  EXPECT_TRUE(support::same_bits(a.value, b.value)) << a.value << " and " << b.value;
  EXPECT_TRUE(support::same_bits(a.gradient_norm, b.gradient_norm));
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_EQ(a.evaluations, b.evaluations);
  EXPECT_TRUE(same_rows(a.history, b.history));
  EXPECT_EQ(a.state.bytes(), b.state.bytes());
}

}  // namespace krica::tests
