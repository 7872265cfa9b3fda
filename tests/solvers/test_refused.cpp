// SPDX-License-Identifier: BSD-3-Clause
//
// What solvers refuse: options out of range, starts that do not fit, and states of other runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "solvers/common.hpp"
#include "solvers/runners.hpp"
#include "solvers/toys.hpp"
#include "support/changed_options.hpp"

namespace krica {
namespace {

using support::refusal;
using tests::KricaProblem;
using tests::SolverKind;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct BadOption {
  std::string option;
  std::string value;  // as the message shows it
  std::function<void()> construct;
};

/// One row an option and bad value: sets `field` of Options and makes the solver.
template <class Solver, class Options, class Value>
BadOption bad(std::string name, Value Options::*field, Value value) {
  Options options;
  options.*field = value;
  return {std::move(name), fmt::format("{}", value), [options] { Solver solver(options); }};
}

std::vector<BadOption> bad_options() {
  std::vector<BadOption> all;
  const auto lbfgs = [&](std::string name, auto field, auto... values) {
    (all.push_back(bad<Lbfgs<double>, LbfgsOptions>(name, field, values)), ...);
  };
  const auto fixed_point = [&](std::string name, auto field, auto... values) {
    (all.push_back(bad<FixedPoint<float>, FixedPointOptions>(name, field, values)), ...);
  };
  const auto adam = [&](std::string name, auto field, auto... values) {
    (all.push_back(bad<Adam<double>, AdamOptions>(name, field, values)), ...);
  };
  lbfgs("max_iterations", &LbfgsOptions::max_iterations, Index{-1});
  lbfgs("history", &LbfgsOptions::history, Index{0}, Index{-3});
  lbfgs("gradient_tolerance", &LbfgsOptions::gradient_tolerance, -1e-9, kNaN);
  lbfgs("value_tolerance", &LbfgsOptions::value_tolerance, -1e-9, kNaN);
  lbfgs("sufficient_decrease", &LbfgsOptions::sufficient_decrease, 0.0, -0.1, 0.9, 0.95, kNaN);
  lbfgs("curvature", &LbfgsOptions::curvature, 1.0, 1e-4, 0.0, kNaN);
  lbfgs("max_line_search", &LbfgsOptions::max_line_search, Index{0});
  fixed_point("max_iterations", &FixedPointOptions::max_iterations, Index{-1});
  fixed_point("gradient_tolerance", &FixedPointOptions::gradient_tolerance, -1e-9, kNaN);
  fixed_point("value_tolerance", &FixedPointOptions::value_tolerance, -1e-9, kNaN);
  fixed_point("sufficient_decrease", &FixedPointOptions::sufficient_decrease, 0.0, 1.0, kNaN);
  fixed_point("max_halvings", &FixedPointOptions::max_halvings, Index{0});
  adam("epochs", &AdamOptions::epochs, Index{-1});
  adam("batch", &AdamOptions::batch, Index{0});
  adam("rate", &AdamOptions::rate, 0.0, -1.0, HUGE_VAL, kNaN);
  adam("beta1", &AdamOptions::beta1, -0.1, 1.0, kNaN);
  adam("beta2", &AdamOptions::beta2, -0.1, 1.0, kNaN);
  adam("epsilon", &AdamOptions::epsilon, 0.0, -1e-8, kNaN);
  adam("held_out", &AdamOptions::held_out, 0.0, 1.0, -0.5, kNaN);
  adam("held_out_limit", &AdamOptions::held_out_limit, Index{0});
  adam("patience", &AdamOptions::patience, Index{0});
  adam("min_improvement", &AdamOptions::min_improvement, -1e-9, kNaN);
  return all;
}

TEST(SolverOptions, OutOfRangeAreRefusedWithNameAndValue) {
  for (const BadOption& row : bad_options()) {
    const std::string message = refusal(row.construct);
    EXPECT_NE(message.find(row.option), std::string::npos) << row.option << ": " << message;
    EXPECT_NE(message.find(row.value), std::string::npos) << row.option << ": " << message;
  }
}

TEST(SolverOptions, DefaultsAreInRange) {
  EXPECT_NO_THROW(Lbfgs<double>());
  EXPECT_NO_THROW(FixedPoint<double>());
  EXPECT_NO_THROW(Adam<double>());
}

template <class R>
class Refusing : public testing::Test {
 protected:
  SolverResult<typename R::Scalar> resume(const Archive& state) {
    return runner_.resume(context_, objective_, state);
  }
  Archive state_of(const KricaProblem<typename R::Scalar>& problem) {
    auto objective = problem.objective();
    return runner_.minimize(context_, objective, problem.start).state;
  }

  const Context context_{{.threads = 1}};
  KricaProblem<typename R::Scalar> problem_;
  KricaObjective<typename R::Scalar> objective_{problem_.X, problem_.options};
  R runner_ = {.limit = 3};
};

TYPED_TEST_SUITE(Refusing, tests::AllRunners, tests::RunnerNames);

TYPED_TEST(Refusing, StartsThatDoNotFit) {
  using Scalar = typename TypeParam::Scalar;
  const auto message = [&](const Matrix<Scalar>& start) {
    return refusal([&] { this->runner_.minimize(this->context_, this->objective_, start); });
  };
  EXPECT_NE(message(Matrix<Scalar>(5, 4)).find("5 x 4"), std::string::npos);
  EXPECT_NE(message(Matrix<Scalar>(6, 3)).find("6 x 3"), std::string::npos);
  EXPECT_FALSE(message(Matrix<Scalar>()).empty());
  for (const double value : {kNaN, HUGE_VAL, -HUGE_VAL}) {
    Matrix<Scalar> start = this->problem_.start;
    start(2, 1) = static_cast<Scalar>(value);
    EXPECT_NE(message(start).find("row 2, column 1"), std::string::npos) << message(start);
  }
}

TYPED_TEST(Refusing, StatesOfAnotherShape) {
  for (const support::ProblemSize size : {support::ProblemSize{.m = 80, .n = 4, .K = 5},
                                          support::ProblemSize{.m = 80, .n = 3, .K = 6}}) {
    const Archive state = this->state_of(KricaProblem<typename TypeParam::Scalar>(size));
    EXPECT_THROW(this->resume(state), DataError);
  }
}

TYPED_TEST(Refusing, StatesOfAnotherPrecision) {
  using Other = std::conditional_t<sizeof(typename TypeParam::Scalar) == 4, double, float>;
  const KricaProblem<Other> problem;
  auto objective = problem.objective();
  const tests::Runner<TypeParam::kKind, Other> runner{.limit = 3};
  const auto state = runner.minimize(this->context_, objective, problem.start).state;
  EXPECT_THROW(this->resume(state), DataError);
}

TYPED_TEST(Refusing, StatesOfAnotherSolver) {
  using Scalar = typename TypeParam::Scalar;
  constexpr SolverKind kOther =
      TypeParam::kKind == SolverKind::kAdam ? SolverKind::kLbfgs : SolverKind::kAdam;
  const tests::Runner<kOther, Scalar> other{.limit = 3};
  const auto state = other.minimize(this->context_, this->objective_, this->problem_.start).state;
  try {
    this->resume(state);
    ADD_FAILURE() << "not refused";
  } catch (const DataError& error) {
    const std::string made_by = kOther == SolverKind::kAdam ? "'adam'" : "'lbfgs'";
    EXPECT_NE(std::string(error.what()).find(made_by), std::string::npos) << error.what();
  }
}

TYPED_TEST(Refusing, StatesThatLackAnything) {
  EXPECT_THROW(this->resume(Archive()), DataError);
  const Archive whole = this->state_of(this->problem_);
  Index removed = 0;
  for (const char* name : {"W", "gradient", "scalars", "counts", "history", "s0", "y0", "step",
                           "best", "first_moment", "second_moment"}) {
    if (!whole.has(name)) continue;
    Archive state = whole;
    state.remove(name);
    EXPECT_THROW(this->resume(state), DataError) << name;
    ++removed;
  }
  EXPECT_GE(removed, 4);
}

TYPED_TEST(Refusing, StatesWithCountersThatCannotBe) {
  const Archive whole = this->state_of(this->problem_);
  const auto with = [&](const char* name, auto values) {
    using Value = typename decltype(values)::value_type;
    Archive state = whole;
    state.put_vector<Value>(name, std::span<const Value>(values));
    return state;
  };
  const std::vector<double> none;
  for (const char* name : {"scalars", "step"}) {
    if (whole.has(name)) {
      EXPECT_THROW(this->resume(with(name, none)), DataError) << name;
    }
  }
  const auto counts = whole.template vector<std::int64_t>("counts");
  EXPECT_THROW(this->resume(with("counts", std::vector<std::int64_t>())), DataError);
  for (const std::size_t which : {0U, 1U}) {
    auto negative = counts;
    negative[which] = -7;
    EXPECT_THROW(this->resume(with("counts", negative)), DataError) << which;
  }
  for (const double value : {kNaN, 1e300, -1.0}) {
    Archive state = whole;
    auto history = whole.template matrix<double>("history");
    history(0, 0) = value;
    state.put("history", history);
    EXPECT_THROW(this->resume(state), DataError) << value;
  }
  Archive narrow = whole;
  narrow.put("history", Matrix<double>(3, 4));
  EXPECT_THROW(this->resume(narrow), DataError);
}

TEST(History, OfVersionOneHasOneColumnForThreeQuantities) {
  Archive archive;
  Matrix<double> rows(1, 5);
  for (Index j = 0; j < 5; ++j) rows(0, j) = static_cast<double>(j + 1);
  archive.put("history", rows);
  const auto by_gradient = history_from(archive);
  EXPECT_EQ(by_gradient.at(0).gradient_norm, 4);
  EXPECT_TRUE(std::isnan(by_gradient[0].training_value) && std::isnan(by_gradient[0].change));
  const auto by_samples = history_from(archive, &HistoryRow::training_value);
  EXPECT_EQ(by_samples.at(0).training_value, 4);
  EXPECT_EQ(by_samples[0].step, 5);
  EXPECT_TRUE(std::isnan(by_samples[0].gradient_norm));
  put_history(archive, by_samples);
  EXPECT_EQ(history_from(archive).at(0).training_value, 4) << "now in a place of its own";
}

TEST(History, WithoutARowOfARarerQuantityIsRefused) {
  Archive archive;
  put_history(archive, {{.iteration = 1}, {.iteration = 2}});
  archive.put_vector<double>("history.change", std::vector<double>{1});
  EXPECT_THROW(history_from(archive), DataError);
}

/// Resumes with each option changed in turn: refused by name, unless it may differ.
template <class Solver, class Options>
void expect_refused_by_name(const Options& options) {
  const Context context({.threads = 1});
  const KricaProblem<double> problem;
  auto objective = problem.objective();
  const Archive state = Solver(options).minimize(context, objective, problem.start).state;
  support::for_each_change(options, [&](const Options& changed, std::string_view name,
                                        OnResume on_resume) {
    const std::string message = refusal([&] { Solver(changed).resume(context, objective, state); });
    if (on_resume == OnResume::kMayDiffer) {
      EXPECT_EQ(message, "") << name;
    } else {
      EXPECT_NE(message.find(fmt::format("options: {} (saved ", name)), std::string::npos)
          << name << ": " << message;
    }
  });
}

TEST(ChangedOptions, OfLbfgsAreRefusedByName) {
  expect_refused_by_name<Lbfgs<double>>(LbfgsOptions{.max_iterations = 3});
}

TEST(ChangedOptions, OfTheFixedPointAreRefusedByName) {
  expect_refused_by_name<FixedPoint<double>>(FixedPointOptions{.max_iterations = 3});
}

TEST(ChangedOptions, OfAdamAreRefusedByName) {
  const Context context({.threads = 1});
  const KricaProblem<double> problem;
  auto objective = problem.objective();
  const AdamOptions options{.epochs = 3, .batch = 16};
  expect_refused_by_name<Adam<double>>(options);
  const Archive state = Adam<double>(options).minimize(context, objective, problem.start).state;
  AdamOptions changed = options;
  changed.schedule = RateSchedule::kConstant;
  EXPECT_NE(refusal([&] {
              Adam<double>(changed).resume(context, objective, state);
            }).find("schedule (saved cosine, now constant)"),
            std::string::npos);
  const Context other_seed({.threads = 1, .seed = 1});
  EXPECT_NE(refusal([&] {
              Adam<double>(options).resume(other_seed, objective, state);
            }).find("seed (saved 0, now 1)"),
            std::string::npos);
  const KricaProblem<double> larger({.m = 90, .n = 4, .K = 6});
  auto other_data = larger.objective();
  EXPECT_NE(refusal([&] { Adam<double>(options).resume(context, other_data, state); }).find("90"),
            std::string::npos);
}

}  // namespace
}  // namespace krica
