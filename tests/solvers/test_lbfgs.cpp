// SPDX-License-Identifier: BSD-3-Clause
//
// L-BFGS on small functions: where it converges, and what it makes of functions that are not
// finite everywhere, noisy, or wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "krica/solvers/lbfgs.hpp"
#include "solvers/toys.hpp"
#include "support/comparison.hpp"

namespace krica {
namespace {

using toys::Function;
using toys::Observed;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class Scalar>
Matrix<Scalar> filled(Index rows, Index cols, double value) {
  Matrix<Scalar> matrix(rows, cols);
  matrix.view().setConstant(static_cast<Scalar>(value));
  return matrix;
}

/// ½ Σ c_i (w_i - i)² with c from 1 to `condition`.
template <class Scalar>
Function<Scalar> quadratic(Index rows, Index cols, double condition) {
  return {rows, cols, [=](ConstMatrixView<Scalar> W, MatrixView<Scalar> gradient) {
            double value = 0;
            const Index count = W.size();
            for (Index e = 0; e < count; ++e) {
              const double c =
                  std::pow(condition, static_cast<double>(e) / static_cast<double>(count - 1));
              const double off =
                  static_cast<double>(W(e / W.cols(), e % W.cols())) - static_cast<double>(e);
              value += c * off * off / 2;
              gradient(e / W.cols(), e % W.cols()) = static_cast<Scalar>(c * off);
            }
            return value;
          }};
}

template <class Scalar>
class LbfgsOf : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(LbfgsOf, Scalars);

TYPED_TEST(LbfgsOf, MinimisesAQuadratic) {
  const Context context({.threads = 1});
  auto objective = quadratic<TypeParam>(4, 5, 1000);
  const auto result = Lbfgs<TypeParam>({.value_tolerance = 0})
                          .minimize(context, objective, filled<TypeParam>(4, 5, 30));
  EXPECT_EQ(result.status, Status::kConverged) << name_of(result.status);
  EXPECT_TRUE(result.succeeded());
  EXPECT_LT(result.evaluations, 250);  // SciPy: 186
  for (Index e = 0; e < 20; ++e)
    EXPECT_NEAR(result.best.data()[e], static_cast<double>(e), 1e-3) << e;
}

TYPED_TEST(LbfgsOf, WithoutIterationsReturnsTheStart) {
  const Context context({.threads = 1});
  auto objective = quadratic<TypeParam>(2, 3, 10);
  const auto start = filled<TypeParam>(2, 3, 0.5);
  Matrix<TypeParam> gradient(2, 3);
  const auto result = Lbfgs<TypeParam>({.max_iterations = 0}).minimize(context, objective, start);
  EXPECT_EQ(result.status, Status::kIterationLimit);
  EXPECT_TRUE(support::same_bits(result.best, start));
  EXPECT_EQ(result.value, objective.value_and_gradient(context, start, gradient));
  EXPECT_NEAR(result.gradient_norm, gradient.view().norm(), 1e-5);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(result.evaluations, 1);
  EXPECT_EQ(result.history.size(), 1U);
}

TYPED_TEST(LbfgsOf, ConvergesAtOnceWhereTheStartIsTheMinimum) {
  const Context context({.threads = 1});
  Function<TypeParam> objective(1, 3, [](auto W, auto gradient) {
    gradient = W;
    return static_cast<double>(W.squaredNorm()) / 2;
  });
  const auto result = Lbfgs<TypeParam>({.gradient_tolerance = 0})
                          .minimize(context, objective, filled<TypeParam>(1, 3, 0));
  EXPECT_EQ(result.status, Status::kConverged);
  EXPECT_EQ(result.evaluations, 1);
}

TYPED_TEST(LbfgsOf, TellsEveryIterationInItsHistory) {
  std::vector<HistoryRow> seen;
  std::vector<double> reported;
  const Context context(
      {.threads = 1, .progress = [&](const Progress& p) { reported.push_back(p.value); }});
  Function<TypeParam> objective(1, 10, toys::rosenbrock<TypeParam>);
  Observed<TypeParam> observed(objective);
  const auto result =
      Lbfgs<TypeParam>({}, {.iteration = [&](const HistoryRow& row) { seen.push_back(row); }})
          .minimize(context, observed, toys::rosenbrock_start<TypeParam>(10));
  ASSERT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
  ASSERT_EQ(seen.size(), result.history.size());
  ASSERT_EQ(reported.size(), result.history.size());
  EXPECT_EQ(result.evaluations, observed.count());
  EXPECT_EQ(result.history.back().value, result.value);
  EXPECT_EQ(result.history.back().gradient_norm, result.gradient_norm);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const HistoryRow& row = result.history[i];
    EXPECT_EQ(row.iteration, static_cast<Index>(i));
    EXPECT_EQ(seen[i].value, row.value);
    EXPECT_EQ(reported[i], row.value);
    if (i == 0) continue;
    EXPECT_LT(row.value, result.history[i - 1].value) << "every accepted step lowers f";
    EXPECT_GT(row.evaluations, result.history[i - 1].evaluations);
    EXPECT_GT(row.step, 0);
  }
}

/// Σ [-b w - log(1 - w²)]: NaN outside the open box (-1, 1), the minimum near its wall for large b.
Function<double> boxed(double b) {
  return {1, 4, [=](ConstMatrixView<double> W, MatrixView<double> gradient) {
            double value = 0;
            for (Index j = 0; j < W.cols(); ++j) {
              const double w = W(0, j);
              value += -b * w - std::log(1 - w * w);
              gradient(0, j) = -b + 2 * w / (1 - w * w);
            }
            return value;
          }};
}

class WalledFunctions : public testing::TestWithParam<double> {};

TEST_P(WalledFunctions, AreSurvivedByRetreating) {
  const Context context({.threads = 1});
  Function<double> objective = boxed(GetParam());
  Observed<double> observed(objective);
  Index not_finite = 0;
  observed.after = [&](Index, double f) {
    if (!std::isfinite(f)) ++not_finite;
    return f;
  };
  const auto result =
      Lbfgs<double>({.value_tolerance = 0}).minimize(context, observed, filled<double>(1, 4, -0.9));
  EXPECT_EQ(result.status, Status::kConverged) << name_of(result.status);
  EXPECT_GT(not_finite, 0) << "the wall was never met: this start tries nothing";
  const double b = GetParam();
  EXPECT_NEAR(result.best(0, 0), (-1 + std::sqrt(1 + b * b)) / b, 1e-5);  // 2w/(1-w²) = b
  EXPECT_LT(result.evaluations, 60);
}

INSTANTIATE_TEST_SUITE_P(Lbfgs, WalledFunctions, testing::Values(10.0, 30.0, 1000.0));

TEST(Lbfgs, RetreatsFromAGradientThatIsNotFinite) {
  const Context context({.threads = 1});
  Function<double> objective(1, 1, [](auto W, auto gradient) {
    gradient(0, 0) = W(0, 0) > 1 ? kNaN : 2 * (W(0, 0) - 0.9);
    return (W(0, 0) - 0.9) * (W(0, 0) - 0.9);
  });
  const auto result = Lbfgs<double>().minimize(context, objective, filled<double>(1, 1, 0.2));
  EXPECT_EQ(result.status, Status::kConverged) << name_of(result.status);
  EXPECT_NEAR(result.best(0, 0), 0.9, 1e-4);
}

TEST(Lbfgs, NotFiniteAtTheStartIsNumericalTrouble) {
  const Context context({.threads = 1});
  Function<double> value_nan(1, 2, [](auto, auto gradient) {
    gradient.setZero();
    return kNaN;
  });
  Function<double> gradient_nan(1, 2, [](auto, auto gradient) {
    gradient.setConstant(kNaN);
    return 0.0;
  });
  for (auto* objective : {&value_nan, &gradient_nan}) {
    const auto start = filled<double>(1, 2, 0.5);
    const auto result = Lbfgs<double>().minimize(context, *objective, start);
    EXPECT_EQ(result.status, Status::kNumericalTrouble) << name_of(result.status);
    EXPECT_FALSE(result.succeeded());
    EXPECT_TRUE(support::same_bits(result.best, start));
    const auto again = Lbfgs<double>().resume(context, *objective, result.state);
    EXPECT_EQ(again.status, Status::kNumericalTrouble) << name_of(again.status);
  }
}

TEST(Lbfgs, NotFiniteAtEveryStepIsNumericalTrouble) {
  const Context context({.threads = 1});
  const auto start = filled<double>(1, 2, 0.5);
  Function<double> objective(1, 2, [](auto W, auto gradient) {
    gradient.setOnes();
    return W(0, 0) == 0.5 ? 1.0 : kNaN;
  });
  const auto result = Lbfgs<double>().minimize(context, objective, start);
  EXPECT_EQ(result.status, Status::kNumericalTrouble) << name_of(result.status);
  EXPECT_TRUE(support::same_bits(result.best, start));
  EXPECT_EQ(result.value, 1.0);
}

TEST(Lbfgs, AWrongGradientEndsInAFailedLineSearch) {
  const Context context({.threads = 1});
  const auto start = filled<double>(1, 2, 0.5);
  Function<double> objective(1, 2, [](auto W, auto gradient) {
    gradient = -W;  // uphill
    return W.squaredNorm();
  });
  const auto result = Lbfgs<double>().minimize(context, objective, start);
  EXPECT_EQ(result.status, Status::kLineSearchFailed) << name_of(result.status);
  EXPECT_FALSE(result.succeeded());
  EXPECT_TRUE(support::same_bits(result.best, start));
}

/// A sum of 1 and a small quadratic: near the minimum its changes drown in the rounding of 1.
TEST(Lbfgs, TheLimitOfPrecisionIsConvergence) {
  const Context context({.threads = 1});
  Function<float> objective(1, 4, [](auto W, auto gradient) {
    gradient = 2 * W;
    gradient.array() += 1e-4F;  // the error that float32 gradients have
    return static_cast<double>(1.0F + static_cast<float>(W.squaredNorm()));
  });
  const auto result = Lbfgs<float>({.gradient_tolerance = 0, .value_tolerance = 0})
                          .minimize(context, objective, filled<float>(1, 4, 0.7F));
  EXPECT_EQ(result.status, Status::kConverged) << name_of(result.status);
  EXPECT_NEAR(result.value, 1, 1e-6);
}

/// Rosenbrock's function with an error of a few units of float32's last place.
TEST(Lbfgs, KeepsTheBestUnderNoiseOfFloat32) {
  const Context context({.threads = 1});
  Function<float> objective(1, 6, toys::rosenbrock<float>);
  Observed<float> observed(objective);
  double lowest = HUGE_VAL;
  observed.after = [&](Index count, double f) {
    const double noise = static_cast<double>(count * 2654435761 % 1000) / 1000 - 0.5;
    const double noisy = f * (1 + 1e-6 * noise) + 1e-7 * noise;
    lowest = std::min(lowest, noisy);
    return noisy;
  };
  const auto result = Lbfgs<float>({.gradient_tolerance = 0, .value_tolerance = 0})
                          .minimize(context, observed, toys::rosenbrock_start<float>(6));
  EXPECT_TRUE(result.status == Status::kLineSearchFailed || result.status == Status::kConverged)
      << name_of(result.status);
  EXPECT_LT(result.evaluations, 500);
  EXPECT_LE(result.value, lowest + 1e-6);
  Matrix<float> gradient(1, 6);
  EXPECT_NEAR(objective.value_and_gradient(context, result.best, gradient), result.value, 1e-6);
}

TEST(Lbfgs, StopsForObjectivesThatDoNotAskTheContext) {
  const Context* asked = nullptr;
  const Context context({.threads = 1, .progress = [&](const Progress& p) {
                           if (p.step == 3) asked->cancel();
                         }});
  asked = &context;
  Function<double> objective(1, 10, toys::rosenbrock<double>);
  const auto result =
      Lbfgs<double>().minimize(context, objective, toys::rosenbrock_start<double>(10));
  EXPECT_EQ(result.status, Status::kCancelled) << name_of(result.status);
  EXPECT_EQ(result.iterations, 3);
}

TEST(Lbfgs, OneCorrectionIsEnoughForRosenbrock) {
  const Context context({.threads = 1});
  Function<double> objective(1, 2, toys::rosenbrock<double>);
  const auto result = Lbfgs<double>({.history = 1, .value_tolerance = 0})
                          .minimize(context, objective, toys::rosenbrock_start<double>(2));
  EXPECT_EQ(result.status, Status::kConverged);
  EXPECT_NEAR(result.best(0, 0), 1, 1e-4);
}

}  // namespace
}  // namespace krica
