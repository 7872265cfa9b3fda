// SPDX-License-Identifier: BSD-3-Clause
//
// Adam: its rates, its held-out part, when it stops and what it keeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "krica/solvers/adam.hpp"
#include "solvers/runners.hpp"
#include "solvers/toys.hpp"

namespace krica {
namespace {

using support::refusal;
using tests::KricaProblem;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Mean over samples i of ½ ‖w - t_i‖², t_i = (i mod 3) - 1 in every coordinate; the minimum is
/// near 0. Keeps which samples were asked for.
template <class Scalar>
class Targets final : public SampledObjective<Scalar> {
 public:
  explicit Targets(Index n_samples) : n_samples_(n_samples) {}

  std::vector<std::vector<Index>> batches;                // of value_and_gradient_on
  std::vector<std::vector<Index>> measured;               // of value_on
  Index spoilt_from = std::numeric_limits<Index>::max();  // batches from this one on are NaN
  Index silent_from = std::numeric_limits<Index>::max();  // measurements from this one on are NaN

  [[nodiscard]] Index rows() const override { return 1; }
  [[nodiscard]] Index cols() const override { return 3; }
  [[nodiscard]] Index n_samples() const override { return n_samples_; }

 private:
  double evaluate(const Context&, std::optional<std::span<const Index>> samples,
                  ConstMatrixView<Scalar> W, MatrixView<Scalar>* gradient) override {
    if (!samples) return kNaN;
    if (gradient == nullptr) {
      measured.emplace_back(samples->begin(), samples->end());
      return static_cast<Index>(measured.size()) > silent_from ? kNaN : mean(*samples, W);
    }
    batches.emplace_back(samples->begin(), samples->end());
    gradient->setZero();
    for (const Index i : *samples) *gradient += (W.array() - target(i)).matrix();
    *gradient /= static_cast<Scalar>(samples->size());
    return static_cast<Index>(batches.size()) > spoilt_from ? kNaN : mean(*samples, W);
  }
  static Scalar target(Index i) { return static_cast<Scalar>(i % 3 - 1); }
  static double mean(std::span<const Index> samples, ConstMatrixView<Scalar> W) {
    double sum = 0;
    for (const Index i : samples)
      sum += static_cast<double>((W.array() - target(i)).square().sum()) / 2;
    return sum / static_cast<double>(samples.size());
  }

  Index n_samples_;
};

Matrix<double> far_start() {
  Matrix<double> start(1, 3);
  start.view().setConstant(4);
  return start;
}

template <class Scalar>
class AdamOf : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(AdamOf, Scalars);

TYPED_TEST(AdamOf, LowersTheHeldOutValueOfKrica) {
  const Context context({.threads = 1, .seed = 2});
  const KricaProblem<TypeParam> problem({.m = 600, .n = 5, .K = 12}, {.gamma = 0.5});
  auto objective = problem.objective();
  const auto result = Adam<TypeParam>({.epochs = 20, .batch = 64, .rate = 0.02})
                          .minimize(context, objective, problem.start);
  EXPECT_TRUE(result.succeeded()) << name_of(result.status);
  EXPECT_LT(result.value, 0.7 * result.history.front().value);
  // And the value of all samples, of which it saw nine tenths.
  EXPECT_LT(objective.value(context, result.best), 0.7 * objective.value(context, problem.start));
}

TYPED_TEST(AdamOf, KeepsTheIterateWithTheLowestHeldOutValue) {
  const Context context({.threads = 1});
  const KricaProblem<TypeParam> problem;
  auto objective = problem.objective();
  toys::Observed<TypeParam> observed(objective);
  // A rate so high that it wanders.
  const auto result = Adam<TypeParam>({.epochs = 15,
                                       .batch = 16,
                                       .rate = 0.3,
                                       .schedule = RateSchedule::kConstant,
                                       .patience = 100})
                          .minimize(context, observed, problem.start);
  const auto lowest =
      std::min_element(result.history.begin(), result.history.end(),
                       [](const HistoryRow& a, const HistoryRow& b) { return a.value < b.value; });
  ASSERT_NE(lowest + 1, result.history.end()) << "the last is the best: this tries nothing";
  EXPECT_EQ(result.value, lowest->value);
  const Index steps = result.evaluations / result.iterations;
  EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
  EXPECT_EQ(result.history.back().evaluations, result.iterations * steps);
  // The best iterate itself has that value: on the held-out samples, which seed 0 chooses.
  Targets<TypeParam> probe(problem.X.rows());
  Matrix<TypeParam> start(1, 3);
  Adam<TypeParam>({.epochs = 0, .batch = 16}).minimize(context, probe, start);
  EXPECT_EQ(objective.value_on(context, probe.measured.at(0), result.best), result.value);
}

TEST(Adam, StopsWhereItNoLongerImproves) {
  const Context context({.threads = 1});
  for (const double rate : {1e-9, 0.1}) {  // hardly any step; or a problem that is soon solved
    Targets<double> objective(90);
    const auto result = Adam<double>({.epochs = 500, .batch = 20, .rate = rate, .patience = 4})
                            .minimize(context, objective, far_start());
    EXPECT_EQ(result.status, Status::kConverged) << name_of(result.status);
    ASSERT_GE(result.iterations, 4);
    EXPECT_LT(result.iterations, 200);
    const auto& history = result.history;
    for (std::size_t i = history.size() - 4; i < history.size(); ++i) {
      const double before = history[history.size() - 5].value;
      EXPECT_GT(history[i].value, before - 1e-4 * std::max(1.0, before) - 1e-12);
    }
  }
}

TEST(Adam, DoesNotStopWhileItImproves) {
  const Context context({.threads = 1});
  Targets<double> objective(90);
  const auto result = Adam<double>({.epochs = 30,
                                    .batch = 20,
                                    .rate = 0.01,
                                    .schedule = RateSchedule::kConstant,
                                    .patience = 1})
                          .minimize(context, objective, far_start());
  EXPECT_EQ(result.status, Status::kIterationLimit) << name_of(result.status);
  EXPECT_EQ(result.iterations, 30);
}

TEST(Adam, FollowsTheFormulaOfItsPaper) {
  const Context context({.threads = 1});
  Targets<double> objective(30);
  const AdamOptions options{.epochs = 2, .batch = 9, .rate = 0.05, .held_out = 0.1};
  const auto result = Adam<double>(options).minimize(context, objective, far_start());
  ASSERT_EQ(objective.batches.size(), 6U);
  double w = 4;
  double m = 0;
  double v = 0;
  for (std::size_t t = 1; t <= 6; ++t) {
    double g = 0;
    for (const Index i : objective.batches[t - 1]) g += (w - static_cast<double>(i % 3 - 1)) / 9;
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    const double m_hat = m / (1 - std::pow(0.9, static_cast<double>(t)));
    const double v_hat = v / (1 - std::pow(0.999, static_cast<double>(t)));
    w -= rate_at(options, static_cast<Index>(t) - 1, 6) * m_hat / (std::sqrt(v_hat) + 1e-8);
  }
  EXPECT_NEAR(result.best(0, 0), w, 1e-12);
  EXPECT_EQ(result.evaluations, 6);
  EXPECT_EQ(result.history.size(), 3U);
}

TEST(Adam, HoldsOutAPartThatItNeverTrainsOn) {
  const Context context({.threads = 1, .seed = 4});
  Targets<double> objective(100);
  Adam<double>({.epochs = 3, .batch = 30, .held_out = 0.25})
      .minimize(context, objective, far_start());
  ASSERT_EQ(objective.measured.size(), 4U);  // before the first epoch, and after each
  const std::set<Index> held(objective.measured[0].begin(), objective.measured[0].end());
  EXPECT_EQ(held.size(), 25U);
  for (const auto& measured : objective.measured) EXPECT_EQ(measured, objective.measured[0]);
  ASSERT_EQ(objective.batches.size(), 6U);  // 75 samples: two batches of 30 an epoch
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    std::set<Index> seen;
    for (std::size_t b = 2 * epoch; b < 2 * epoch + 2; ++b)
      seen.insert(objective.batches[b].begin(), objective.batches[b].end());
    EXPECT_EQ(seen.size(), 60U) << "no sample twice in an epoch";
    for (const Index i : seen) EXPECT_FALSE(held.contains(i)) << i;
  }
  EXPECT_NE(objective.batches[0], objective.batches[2]) << "every epoch has its own order";
}

TEST(Adam, SplitAndOrderFollowFromTheSeed) {
  const auto asked = [](std::uint64_t seed) {
    const Context context({.threads = 1, .seed = seed});
    Targets<double> objective(100);
    Adam<double>({.epochs = 1, .batch = 30}).minimize(context, objective, far_start());
    return std::pair(objective.measured[0], objective.batches);
  };
  EXPECT_EQ(asked(1), asked(1));
  EXPECT_NE(asked(1).first, asked(2).first);
  EXPECT_NE(asked(1).second, asked(2).second);
}

TEST(Adam, HeldOutLimitAndTheSmallestParts) {
  const Context context({.threads = 1});
  const auto held = [&](Index samples, AdamOptions options) {
    Targets<double> objective(samples);
    options.epochs = 0;
    options.batch = 1;
    Adam<double>(options).minimize(context, objective, far_start());
    return objective.measured.at(0).size();
  };
  EXPECT_EQ(held(100, {.held_out = 0.5, .held_out_limit = 7}), 7U);
  EXPECT_EQ(held(100, {.held_out = 1e-6}), 1U);
  EXPECT_EQ(held(10, {.held_out = 0.999}), 9U);
  EXPECT_EQ(held(2, {}), 1U);
  EXPECT_FALSE(refusal([&] { held(1, {}); }).empty());
}

TEST(Adam, ABatchLargerThanTheDataIsRefused) {
  const Context context({.threads = 1});
  Targets<double> objective(100);
  const auto minimize = [&](Index batch) {
    Adam<double>({.epochs = 1, .batch = batch}).minimize(context, objective, far_start());
  };
  const std::string message = refusal([&] { minimize(91); });
  EXPECT_NE(message.find("91"), std::string::npos) << message;
  EXPECT_NE(message.find("90"), std::string::npos) << message;
  EXPECT_NO_THROW(minimize(90));
}

TEST(Adam, NotFiniteIsNumericalTroubleWithTheBestKept) {
  const Context context({.threads = 1});
  const AdamOptions options{.epochs = 10, .batch = 30, .rate = 0.1};  // three steps an epoch
  for (const bool in_training : {true, false}) {
    Targets<double> objective(100);
    (in_training ? objective.spoilt_from : objective.silent_from) = in_training ? 7 : 3;
    const auto result = Adam<double>(options).minimize(context, objective, far_start());
    EXPECT_EQ(result.status, Status::kNumericalTrouble) << name_of(result.status);
    EXPECT_FALSE(result.succeeded());
    ASSERT_EQ(result.history.size(), 3U);
    EXPECT_EQ(result.value, result.history.back().value);
    EXPECT_LT(result.value, result.history.front().value);
    EXPECT_TRUE(result.best.view().allFinite());
    Targets<double> sound(100);
    EXPECT_EQ(sound.value_on(context, objective.measured[0], result.best), result.value);
  }
  Targets<double> objective(100);
  objective.silent_from = 0;
  const auto result = Adam<double>(options).minimize(context, objective, far_start());
  EXPECT_EQ(result.status, Status::kNumericalTrouble);
  EXPECT_TRUE(support::same_bits(result.best, far_start()));
}

struct RateRow {
  RateSchedule schedule;
  Index step;
  double rate;  // of 1
};

class Rates : public testing::TestWithParam<RateRow> {};

TEST_P(Rates, AreAsDescribed) {
  const AdamOptions options{.rate = 0.5, .schedule = GetParam().schedule};
  EXPECT_NEAR(rate_at(options, GetParam().step, 1000), 0.5 * GetParam().rate, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Adam, Rates,
                         testing::Values(RateRow{RateSchedule::kConstant, 0, 1},
                                         RateRow{RateSchedule::kConstant, 500, 1},
                                         RateRow{RateSchedule::kConstant, 1000, 1},
                                         RateRow{RateSchedule::kCosine, 0, 1},
                                         RateRow{RateSchedule::kCosine, 500, 0.5},
                                         RateRow{RateSchedule::kCosine, 1000, 0},
                                         RateRow{RateSchedule::kOneCycle, 0, 1.0 / 25},
                                         RateRow{RateSchedule::kOneCycle, 150, (1 + 1.0 / 25) / 2},
                                         RateRow{RateSchedule::kOneCycle, 300, 1},
                                         RateRow{RateSchedule::kOneCycle, 650, (1 + 1e-4) / 2},
                                         RateRow{RateSchedule::kOneCycle, 1000, 1e-4}));

TEST(RateSchedules, HaveNames) {
  for (const auto schedule :
       {RateSchedule::kConstant, RateSchedule::kCosine, RateSchedule::kOneCycle})
    EXPECT_EQ(rate_schedule(name_of(schedule)), schedule);
  EXPECT_NE(refusal([] { rate_schedule("linear"); }).find("one-cycle"), std::string::npos);
}

}  // namespace
}  // namespace krica
