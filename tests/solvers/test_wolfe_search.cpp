// SPDX-License-Identifier: BSD-3-Clause
//
// The line search on the six functions of Moré and Thuente, ACM TOMS 20(3), 1994, section 5.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "solvers/wolfe_search.hpp"

namespace krica {
namespace {

struct Sample {
  double value;
  double slope;
};
using Function = std::function<Sample(double)>;

Sample rational(double t) {  // their (5.1), β = 2
  const double below = t * t + 2;
  return {-t / below, (t * t - 2) / (below * below)};
}

Sample quintic(double t) {  // their (5.2), β = 0.004
  const double u = t + 0.004;
  return {std::pow(u, 5) - 2 * std::pow(u, 4), 5 * std::pow(u, 4) - 8 * std::pow(u, 3)};
}

Sample wavy(double t) {  // their (5.3), β = 0.01, l = 39
  const double beta = 0.01;
  const double l = 39;
  Sample base{1 - t, -1};
  if (t >= 1 + beta) base = {t - 1, 1};
  if (std::abs(t - 1) < beta) base = {(t - 1) * (t - 1) / (2 * beta) + beta / 2, (t - 1) / beta};
  const double angle = l * std::numbers::pi / 2 * t;
  return {base.value + 2 * (1 - beta) / (l * std::numbers::pi) * std::sin(angle),
          base.slope + (1 - beta) * std::cos(angle)};
}

Function hyperbolas(double beta1, double beta2) {  // their (5.4)
  return [=](double t) -> Sample {
    const auto gamma = [](double beta) { return std::sqrt(1 + beta * beta) - beta; };
    const double right = std::sqrt((1 - t) * (1 - t) + beta2 * beta2);
    const double left = std::sqrt(t * t + beta1 * beta1);
    return {gamma(beta1) * right + gamma(beta2) * left,
            gamma(beta1) * (t - 1) / right + gamma(beta2) * t / left};
  };
}

struct Case {
  int number;
  Function function;
  WolfeLimits limits;
  double first_step;
  int published;  // evaluations, their tables 1 to 6
};

std::vector<Case> cases() {
  const std::vector<Case> functions = {
      {1, rational, {1e-3, 0.1}, 0, 0},
      {2, quintic, {0.1, 0.1}, 0, 0},
      {3, wavy, {0.1, 0.1}, 0, 0},
      {4, hyperbolas(0.001, 0.001), {1e-3, 1e-3}, 0, 0},
      {5, hyperbolas(0.01, 0.001), {1e-3, 1e-3}, 0, 0},
      {6, hyperbolas(0.001, 0.01), {1e-3, 1e-3}, 0, 0},
  };
  const std::vector<double> steps = {1e-3, 1e-1, 1e1, 1e3};
  const std::vector<std::vector<int>> published = {{6, 3, 1, 4}, {12, 8, 8, 11}, {12, 12, 10, 13},
                                                   {4, 1, 3, 4}, {6, 3, 7, 8},   {13, 11, 8, 11}};
  std::vector<Case> all;
  for (std::size_t f = 0; f < functions.size(); ++f) {
    for (std::size_t s = 0; s < steps.size(); ++s) {
      all.push_back(functions[f]);
      all.back().first_step = steps[s];
      all.back().published = published[f][s];
    }
  }
  return all;
}

struct Found {
  WolfeSearch::Outcome outcome = WolfeSearch::Outcome::kEvaluate;
  double step = 0;
  int evaluations = 0;
};

/// Drives a search for at most 100 evaluations; not finite values make it retreat.
Found searched(const Function& function, WolfeLimits limits, double first_step) {
  const Sample start = function(0);
  WolfeSearch search(limits, start.value, start.slope, first_step);
  Found found;
  while (found.outcome == WolfeSearch::Outcome::kEvaluate && found.evaluations < 100) {
    found.step = search.step();
    const Sample at = function(found.step);
    ++found.evaluations;
    found.outcome = std::isfinite(at.value) ? search.advance(at.value, at.slope) : search.retreat();
  }
  return found;
}

void expect_strong_wolfe(const Function& function, WolfeLimits limits, double step) {
  const Sample start = function(0);
  const Sample at = function(step);
  EXPECT_GT(step, 0);
  EXPECT_LE(at.value, start.value + limits.sufficient_decrease * step * start.slope);
  EXPECT_LE(std::abs(at.slope), limits.curvature * std::abs(start.slope));
}

class MoreThuente : public testing::TestWithParam<Case> {};

TEST_P(MoreThuente, FindsAStrongWolfeStepInAboutThePublishedEvaluations) {
  const Case& c = GetParam();
  const Found found = searched(c.function, c.limits, c.first_step);
  ASSERT_EQ(found.outcome, WolfeSearch::Outcome::kSatisfied);
  expect_strong_wolfe(c.function, c.limits, found.step);
  EXPECT_LE(found.evaluations, c.published + 1);
  RecordProperty("evaluations", found.evaluations);
  fmt::print("function {}, first step {:g}: step {:.3g}, {} evaluations, {} published\n", c.number,
             c.first_step, found.step, found.evaluations, c.published);
}

INSTANTIATE_TEST_SUITE_P(WolfeSearch, MoreThuente, testing::ValuesIn(cases()), [](const auto& row) {
  const long power = std::lround(std::log10(row.param.first_step));
  return fmt::format("function{}_from_10_to_{}{}", row.param.number, power < 0 ? "minus_" : "",
                     std::abs(power));
});

/// -t up to a wall, beyond which φ is not finite; the minimum lies just before it.
Sample walled(double t, double wall) {
  if (t >= wall) return {std::numeric_limits<double>::quiet_NaN(), 0};
  return {-t - 0.01 * std::log(1 - t / wall), -1 + 0.01 / (wall - t)};
}

class Walls : public testing::TestWithParam<double> {};

TEST_P(Walls, AreRetreatedFrom) {
  const Function function = [](double t) { return walled(t, GetParam()); };
  const WolfeLimits limits{1e-4, 0.9};
  const Found found = searched(function, limits, 1.0);
  ASSERT_EQ(found.outcome, WolfeSearch::Outcome::kSatisfied);
  expect_strong_wolfe(function, limits, found.step);
  EXPECT_LE(found.evaluations, 20);
}

INSTANTIATE_TEST_SUITE_P(WolfeSearch, Walls, testing::Values(0.05, 0.3, 1.0, 2.5, 40.0, 1e3));

TEST(WolfeSearch, IsStuckWhereNothingButTheStartIsFinite) {
  const Function function = [](double t) { return t > 0 ? Sample{HUGE_VAL, 0} : Sample{0, -1}; };
  const Found found = searched(function, {1e-4, 0.9}, 1.0);
  EXPECT_EQ(found.outcome, WolfeSearch::Outcome::kStuck);
}

TEST(WolfeSearch, ExtrapolatesToADistantMinimum) {
  const Function parabola = [](double t) { return Sample{(t - 1e5) * (t - 1e5), 2 * (t - 1e5)}; };
  const WolfeLimits limits{1e-4, 0.1};
  const Found found = searched(parabola, limits, 1.0);
  ASSERT_EQ(found.outcome, WolfeSearch::Outcome::kSatisfied);
  expect_strong_wolfe(parabola, limits, found.step);
  EXPECT_LE(found.evaluations, 12);
}

TEST(WolfeSearch, IsTheSameForFunctionsOfAnyScale) {
  for (const double scale : {1e-200, 1e-30, 1e30, 1e200}) {
    const Function scaled = [=](double t) {
      const Sample at = quintic(t);
      return Sample{scale * at.value, scale * at.slope};
    };
    const Found found = searched(scaled, {0.1, 0.1}, 1e-3);
    ASSERT_EQ(found.outcome, WolfeSearch::Outcome::kSatisfied) << scale;
    EXPECT_EQ(found.evaluations, searched(quintic, {0.1, 0.1}, 1e-3).evaluations) << scale;
  }
}

}  // namespace
}  // namespace krica
