// SPDX-License-Identifier: BSD-3-Clause
//
// The same bits for any number of threads, for every solver; large enough that the work is shared.
#include <gtest/gtest.h>

#include <set>

#include "krica/objectives/rica.hpp"
#include "solvers/runners.hpp"

namespace krica {
namespace {

template <class R>
class Threads : public testing::Test {};
TYPED_TEST_SUITE(Threads, tests::AllRunners, tests::RunnerNames);

TYPED_TEST(Threads, DoNotChangeTheBits) {
  using Scalar = typename TypeParam::Scalar;
  const tests::KricaProblem<Scalar> problem({.m = 1500, .n = 7, .K = 40});
  const auto run = [&](int threads) {
    const Context context({.threads = threads, .seed = 1});
    auto objective = problem.objective();
    return TypeParam{.limit = 4}.minimize(context, objective, problem.start);
  };
  const auto one = run(1);
  EXPECT_LT(one.value, one.history.front().value);
  for (const int threads : {2, 4}) tests::expect_same(run(threads), one, std::to_string(threads));
}

template <class Scalar>
class RicaThreads : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(RicaThreads, Scalars);

TYPED_TEST(RicaThreads, DoNotChangeTheBitsOfLbfgs) {
  const Matrix<TypeParam> X = support::random_matrix<TypeParam>(3000, 12, 1);
  const Matrix<TypeParam> start = support::random_matrix<TypeParam>(30, 12, 2);
  const auto run = [&](int threads) {
    const Context context({.threads = threads});
    RicaObjective<TypeParam> objective(X, {.n_components = 30, .row_norm = RowNorm::kSoft});
    return Lbfgs<TypeParam>({.max_iterations = 15}).minimize(context, objective, start);
  };
  const auto one = run(1);
  for (const int threads : {2, 4}) tests::expect_same(run(threads), one, std::to_string(threads));
}

TEST(SolverStatuses, HaveNamesAndExplanations) {
  std::set<std::string_view> names;
  std::set<std::string_view> explanations;
  for (int s = 0; s <= static_cast<int>(Status::kCollapsed); ++s) {
    names.insert(name_of(static_cast<Status>(s)));
    explanations.insert(explanation_of(static_cast<Status>(s)));
  }
  EXPECT_EQ(names.size(), 7U);
  EXPECT_EQ(explanations.size(), 7U);
  EXPECT_FALSE(explanations.contains(""));
  EXPECT_EQ(name_of(Status::kLineSearchFailed), "line-search-failed");
}

}  // namespace
}  // namespace krica
