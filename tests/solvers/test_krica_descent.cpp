// SPDX-License-Identifier: BSD-3-Clause
//
// kRICA under the solvers: f falls from the usual starts, and a basis that left the data or fell
// together is never called a success.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "krica/clustering/kmeans.hpp"
#include "solvers/runners.hpp"
#include "solvers/toys.hpp"

namespace krica {
namespace {

using tests::KricaProblem;

/// Samples of unit norm in groups, as whitened patches are.
Matrix<double> patches(Index m, Index n, std::uint64_t seed) {
  const Matrix<double> centers = support::random_matrix<double>(8, n, seed);
  Matrix<double> X = support::random_matrix<double>(m, n, seed + 1);
  for (Index i = 0; i < m; ++i) {
    auto row = X.view().row(i);
    row += 2 * centers.view().row(i % centers.rows());
    row /= row.norm();
  }
  return X;
}

enum class Start { kKmeans, kSamples };

struct Descent {
  double gamma;
  Start start;
};

class KricaDescent : public testing::TestWithParam<Descent> {
 protected:
  template <class Scalar>
  void expect_descent() {
    const Context context({.threads = 1, .seed = 5});
    const Matrix<Scalar> X = support::cast_to<Scalar>(patches(300, 6, 11));
    const Index K = 12;
    const auto start =
        kmeans<Scalar>(context, X,
                       {.n_clusters = K,
                        .start = GetParam().start == Start::kKmeans ? KmeansStart::kPlusPlus
                                                                    : KmeansStart::kSamples,
                        .max_iterations = GetParam().start == Start::kKmeans ? 50 : 0});
    const KricaOptions options{.n_components = K, .kernel = {.gamma = GetParam().gamma}};
    KricaObjective<Scalar> objective(X, options);
    const auto result =
        Lbfgs<Scalar>({.max_iterations = 60}).minimize(context, objective, start.centers);
    ASSERT_GE(result.history.size(), 2U) << name_of(result.status);
    for (std::size_t i = 1; i < result.history.size(); ++i)
      EXPECT_LE(result.history[i].value, result.history[i - 1].value) << "iteration " << i;
    // What float32 calls a descent is one in float64 too.
    const Matrix<double> X_double = support::cast_to<double>(X);
    KricaObjective<double> exact(X_double, options);
    const double before = exact.value(context, support::cast_to<double>(start.centers));
    const double after = exact.value(context, support::cast_to<double>(result.best));
    EXPECT_LT(after, before - 1e-6 * std::abs(before));
    EXPECT_NEAR(after, result.value, 1e-4 * std::max(1.0, std::abs(after)));
  }
};

TEST_P(KricaDescent, IsMonotoneInDouble) { expect_descent<double>(); }
TEST_P(KricaDescent, IsMonotoneInFloat) { expect_descent<float>(); }

INSTANTIATE_TEST_SUITE_P(Lbfgs, KricaDescent,
                         testing::Values(Descent{0.1, Start::kKmeans}, Descent{1, Start::kKmeans},
                                         Descent{10, Start::kKmeans}, Descent{100, Start::kKmeans},
                                         Descent{0.1, Start::kSamples}, Descent{1, Start::kSamples},
                                         Descent{10, Start::kSamples},
                                         Descent{100, Start::kSamples}),
                         [](const auto& row) {
                           return fmt::format(
                               "gamma{}_from_{}", static_cast<int>(10 * row.param.gamma),
                               row.param.start == Start::kKmeans ? "kmeans" : "samples");
                         });

template <class R>
class BasisConditions : public testing::Test {};
TYPED_TEST_SUITE(BasisConditions, tests::AllRunners, tests::RunnerNames);

TYPED_TEST(BasisConditions, AStartFarFromTheDataIsDiverged) {
  using Scalar = typename TypeParam::Scalar;
  const Context context({.threads = 1});
  KricaProblem<Scalar> problem({.m = 80, .n = 4, .K = 6}, {.gamma = 100.0});
  problem.start.view().array() += Scalar(50);  // every κ is 0, and so is the gradient
  auto objective = problem.objective();
  const auto result = TypeParam{}.minimize(context, objective, problem.start);
  EXPECT_EQ(result.status, Status::kDiverged) << name_of(result.status);
  EXPECT_FALSE(result.succeeded());
}

TYPED_TEST(BasisConditions, EqualAtomsAreCollapsed) {
  using Scalar = typename TypeParam::Scalar;
  const Context context({.threads = 1});
  KricaProblem<Scalar> problem({.m = 80, .n = 4, .K = 2});
  problem.start.view().row(1) = problem.start.view().row(0);  // equal gradients keep them equal
  auto objective = problem.objective();
  const auto result = TypeParam{}.minimize(context, objective, problem.start);
  EXPECT_EQ(result.status, Status::kCollapsed) << name_of(result.status);
  EXPECT_FALSE(result.succeeded());
}

TYPED_TEST(BasisConditions, ASoundBasisIsASuccess) {
  using Scalar = typename TypeParam::Scalar;
  const Context context({.threads = 1});
  const KricaProblem<Scalar> problem;
  auto objective = problem.objective();
  const auto result = TypeParam{}.minimize(context, objective, problem.start);
  EXPECT_TRUE(result.succeeded()) << name_of(result.status);
}

TYPED_TEST(BasisConditions, OfCancelledRunsAreNotExamined) {
  using Scalar = typename TypeParam::Scalar;
  const Context context({.threads = 1});
  KricaProblem<Scalar> problem({.m = 80, .n = 4, .K = 6}, {.gamma = 100.0});
  problem.start.view().array() += Scalar(50);
  auto objective = problem.objective();
  context.cancel();
  const auto result = TypeParam{}.minimize(context, objective, problem.start);
  EXPECT_EQ(result.status, Status::kCancelled) << name_of(result.status);
}

/// Too wide a kernel for so many atoms: f falls when they are away from the data (docs/math.md,
/// errata), and steps of this rate take them to where every code is 0.
TEST(Adam, ABasisThatLeavesTheDataOnTheWayIsDiverged) {
  const Context context({.threads = 1});
  const Matrix<double> X = patches(200, 3, 4);
  KricaObjective<double> objective(X, {.n_components = 60, .kernel = {.gamma = 0.5}});
  Matrix<double> start(60, 3);
  start.view() = X.view().topRows(60);
  ASSERT_EQ(objective.condition(context, start), BasisCondition::kSound);
  const auto result =
      Adam<double>({.epochs = 2, .batch = 90, .rate = 100}).minimize(context, objective, start);
  EXPECT_LT(result.value, objective.value(context, start));
  EXPECT_EQ(result.status, Status::kDiverged) << name_of(result.status);
}

}  // namespace
}  // namespace krica
