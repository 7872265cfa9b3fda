// SPDX-License-Identifier: BSD-3-Clause
//
// The fixed-point solver: it never raises f, where the paper's own iteration does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "krica/objectives/rica.hpp"
#include "krica/solvers/fixed_point.hpp"
#include "solvers/runners.hpp"
#include "solvers/toys.hpp"
#include "support/kernels.hpp"
#include "support/reference.hpp"

namespace krica {
namespace {

using tests::KricaProblem;

void expect_never_rises(const std::vector<HistoryRow>& history) {
  for (std::size_t i = 1; i < history.size(); ++i)
    EXPECT_LT(history[i].value, history[i - 1].value) << "iteration " << i;
}

struct Descent {
  KernelKind kind;
  double width;  // gamma, or scale
  std::uint64_t seed;
};

class FixedPointDescent : public testing::TestWithParam<Descent> {
 protected:
  template <class Scalar>
  void expect_descent() {
    const Kernel kernel{
        .kind = GetParam().kind, .gamma = GetParam().width, .scale = GetParam().width};
    const KricaProblem<Scalar> problem({.m = 60, .n = 5, .K = 10}, kernel, GetParam().seed);
    const Context context({.threads = 1});
    auto objective = problem.objective();
    const auto result =
        FixedPoint<Scalar>({.max_iterations = 60}).minimize(context, objective, problem.start);
    ASSERT_GT(result.history.size(), 2U) << name_of(result.status);
    expect_never_rises(result.history);
    const auto f = [&](const Matrix<Scalar>& W) {
      return reference::krica(problem.options, support::cast_to<double>(problem.X),
                              support::cast_to<double>(W), {});
    };
    EXPECT_LT(f(result.best), f(problem.start));
    EXPECT_NEAR(f(result.best), result.value, 1e-4 * std::max(1.0, std::abs(result.value)));
  }
};

TEST_P(FixedPointDescent, NeverRisesInDouble) { expect_descent<double>(); }
TEST_P(FixedPointDescent, NeverRisesInFloat) { expect_descent<float>(); }

std::vector<Descent> descents() {
  std::vector<Descent> all;
  for (const KernelKind kind :
       {KernelKind::kGaussian, KernelKind::kInverseDistance, KernelKind::kInverseSquareDistance}) {
    for (const double width : {0.1, 1.0, 10.0}) {
      for (const std::uint64_t seed : {1, 2, 3}) all.push_back({kind, width, seed});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(FixedPoint, FixedPointDescent, testing::ValuesIn(descents()),
                         [](const auto& row) {
                           return fmt::format(
                               "{}_width{}_seed{}", support::test_name(row.param.kind),
                               static_cast<int>(10 * row.param.width), row.param.seed);
                         });

/// The paper's iteration: atom after atom goes to the zero of its derivative with the kernel values
/// held. `power` is 1 in the derivative as printed, 2 in the right one (docs/math.md, errata).
void paper_iteration(const KricaOptions& options, const Matrix<double>& X, Matrix<double>& W,
                     double power) {
  const auto kappa = [&](const double* a, const double* b) {
    return reference::kernel(options.kernel, a, b, X.cols());
  };
  for (Index p = 0; p < W.rows(); ++p) {
    double total = 0;
    std::vector<double> sum(static_cast<std::size_t>(W.cols()), 0.0);
    const auto pull = [&](double weight, const double* towards) {
      total += weight;
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += weight * towards[j];
    };
    for (Index i = 0; i < X.rows(); ++i) {
      const double s = kappa(W.row(p), X.row(i));
      for (Index v = 0; v < W.rows(); ++v) {
        const double weight = 4 * s * kappa(W.row(p), W.row(v)) * kappa(W.row(v), X.row(i));
        pull(weight, X.row(i));
        if (v != p) pull(weight, W.row(v));
      }
      pull(-8 * std::pow(s, power), X.row(i));
      pull(2 * options.sparsity * std::pow(s, power) / std::sqrt(options.epsilon + s * s),
           X.row(i));
    }
    for (std::size_t j = 0; j < sum.size(); ++j) W(p, static_cast<Index>(j)) = sum[j] / total;
  }
}

class PaperIteration : public testing::TestWithParam<double> {};

TEST_P(PaperIteration, ClimbsWhereOursFalls) {
  const KricaProblem<double> problem({.m = 60, .n = 5, .K = 10}, {.gamma = 0.5}, 1);
  const auto f = [&](const Matrix<double>& W) {
    return reference::krica(problem.options, problem.X, W, {});
  };
  const double start = f(problem.start);
  Matrix<double> W = problem.start;
  for (int iteration = 0; iteration < 30; ++iteration)
    paper_iteration(problem.options, problem.X, W, GetParam());
  EXPECT_GT(f(W), 1.5 * start);

  const Context context({.threads = 1});
  auto objective = problem.objective();
  const auto ours =
      FixedPoint<double>({.max_iterations = 30}).minimize(context, objective, problem.start);
  expect_never_rises(ours.history);
  EXPECT_LT(ours.value, 0.9 * start);
  fmt::print("start {:.4f}: the paper's iteration {:.4f}, ours {:.4f}\n", start, f(W), ours.value);
}

INSTANTIATE_TEST_SUITE_P(FixedPoint, PaperIteration, testing::Values(1.0, 2.0),
                         [](const auto& row) { return row.param == 1 ? "printed" : "corrected"; });

class WithoutFixedPointForm : public testing::TestWithParam<KernelKind> {};

TEST_P(WithoutFixedPointForm, IsRefusedByName) {
  const KricaProblem<double> problem({}, support::kernel_of(GetParam()));
  const Context context({.threads = 1});
  auto objective = problem.objective();
  const std::string message =
      support::refusal([&] { FixedPoint<double>().minimize(context, objective, problem.start); });
  EXPECT_NE(message.find(name_of(GetParam())), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(FixedPoint, WithoutFixedPointForm,
                         testing::Values(KernelKind::kLinear, KernelKind::kPolynomial,
                                         KernelKind::kHistogramIntersection),
                         [](const auto& row) { return support::test_name(row.param); });

template <class Objective>
concept HasFixedPoint = requires(FixedPoint<double> solver, const Context& context,
                                 Objective& objective, const Matrix<double>& start) {
  solver.minimize(context, objective, start);
};
static_assert(HasFixedPoint<KricaObjective<double>>);
static_assert(!HasFixedPoint<RicaObjective<double>>);

/// ½ Σ_p D_p ‖w_p - t_p‖², with t_p = p; not finite where any |w| exceeds `wall`.
class Parabolas final : public CurvedObjective<double> {
 public:
  explicit Parabolas(std::vector<double> D, double wall = HUGE_VAL)
      : D_(std::move(D)), wall_(wall) {}
  [[nodiscard]] Index rows() const override { return static_cast<Index>(D_.size()); }
  [[nodiscard]] Index cols() const override { return 2; }
  double value_gradient_and_curvature(const Context&, ConstMatrixView<double> W,
                                      MatrixView<double> gradient,
                                      std::span<double> curvature) override {
    double value = 0;
    for (Index p = 0; p < rows(); ++p) {
      const double D = D_[static_cast<std::size_t>(p)];
      gradient.row(p) = D * (W.row(p).array() - static_cast<double>(p));
      value += D / 2 * (W.row(p).array() - static_cast<double>(p)).square().sum();
      curvature[static_cast<std::size_t>(p)] = D;
    }
    return W.cwiseAbs().maxCoeff() > wall_ ? std::numeric_limits<double>::quiet_NaN() : value;
  }
  double value_and_gradient(const Context& context, ConstMatrixView<double> W,
                            MatrixView<double> gradient) override {
    std::vector<double> curvature(D_.size());
    return value_gradient_and_curvature(context, W, gradient, curvature);
  }
  double value(const Context& context, ConstMatrixView<double> W) override {
    Matrix<double> gradient(rows(), cols());
    return value_and_gradient(context, W, gradient);
  }

 private:
  std::vector<double> D_;
  double wall_;
};

Matrix<double> constant(Index rows, double value) {
  Matrix<double> matrix(rows, 2);
  matrix.view().setConstant(value);
  return matrix;
}

TEST(FixedPoint, StepsOntoTheFixedPointWhereThatDescends) {
  const Context context({.threads = 1});
  Parabolas objective({1.0, 0.01, 300.0});
  const auto result = FixedPoint<double>().minimize(context, objective, constant(3, 7));
  EXPECT_EQ(result.status, Status::kConverged);
  EXPECT_EQ(result.iterations, 1);
  for (Index p = 0; p < 3; ++p) EXPECT_NEAR(result.best(p, 0), static_cast<double>(p), 1e-12);
}

TEST(FixedPoint, StepsAwayFromTheFixedPointWhereThatWouldClimb) {
  const Context context({.threads = 1});
  Parabolas objective({-2.0});
  const auto result =
      FixedPoint<double>({.max_iterations = 1}).minimize(context, objective, constant(1, 1));
  EXPECT_NEAR(result.best(0, 0), 2, 1e-12);  // as far as w* = 0 is, the other way
  expect_never_rises(result.history);
}

TEST(FixedPoint, HalvesAStepThatIsNotFinite) {
  const Context context({.threads = 1});
  Parabolas objective({-2.0}, 1.3);
  const auto result =
      FixedPoint<double>({.max_iterations = 1}).minimize(context, objective, constant(1, 1));
  EXPECT_NEAR(result.best(0, 0), 1.25, 1e-12);
  EXPECT_EQ(result.evaluations, 4);
}

TEST(FixedPoint, NotFiniteAtTheStartOrAtEveryStepIsNumericalTrouble) {
  const Context context({.threads = 1});
  Parabolas nowhere({1.0}, 0.5);
  const auto start = constant(1, 1);
  auto result = FixedPoint<double>().minimize(context, nowhere, start);
  EXPECT_EQ(result.status, Status::kNumericalTrouble) << name_of(result.status);
  EXPECT_TRUE(support::same_bits(result.best, start));
  Parabolas at_start_only({-1.0}, 1.0);  // downhill lies beyond the wall
  result = FixedPoint<double>({.max_halvings = 20}).minimize(context, at_start_only, start);
  EXPECT_EQ(result.status, Status::kNumericalTrouble) << name_of(result.status);
  EXPECT_TRUE(support::same_bits(result.best, start));
}

TEST(FixedPoint, WithoutIterationsReturnsTheStart) {
  const Context context({.threads = 1});
  Parabolas objective({1.0, 2.0});
  const auto start = constant(2, 3);
  const auto result = FixedPoint<double>({.max_iterations = 0}).minimize(context, objective, start);
  EXPECT_EQ(result.status, Status::kIterationLimit);
  EXPECT_TRUE(support::same_bits(result.best, start));
  EXPECT_EQ(result.value, objective.value(context, start));
  EXPECT_EQ(result.evaluations, 1);
}

}  // namespace
}  // namespace krica
