// SPDX-License-Identifier: BSD-3-Clause
//
// Data and bases that do not fit are refused with the operation and the values, and a refused call
// leaves no trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <vector>

#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

using support::Problem;
using support::random_problem;
using support::refusal;
using support::same_bits;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// An objective with its options type and the name in its messages.
template <class Scalar>
struct Krica {
  using Element = Scalar;
  using Objective = KricaObjective<Scalar>;
  using Options = KricaOptions;
  static constexpr auto kOperation = "[krica]";
};
template <class Scalar>
struct Rica {
  using Element = Scalar;
  using Objective = RicaObjective<Scalar>;
  using Options = RicaOptions;
  static constexpr auto kOperation = "[rica]";
};

template <class Kind>
class BadInput : public testing::Test {
 protected:
  using Scalar = typename Kind::Element;
  using Options = typename Kind::Options;
  using Objective = typename Kind::Objective;
  using Limits = std::numeric_limits<Scalar>;

  std::string refusal_of(const Matrix<Scalar>& X, const Options& options,
                         const std::vector<int>& labels = {}) {
    return refusal([&] { Objective(X, options, labels); });
  }
  Options with_classes(double weight = 0.3) {
    Options options;
    options.n_components = 12;
    options.discrimination.weight = weight;
    return options;
  }

  const Context context_{{.threads = 2}};
  const Problem problem_ = random_problem();
  Matrix<Scalar> X_ = support::cast_to<Scalar>(problem_.X);
  Matrix<Scalar> W_ = support::cast_to<Scalar>(problem_.W);
  Options options_ = [] {
    Options options;
    options.n_components = 12;
    return options;
  }();
};

using Kinds = testing::Types<Krica<float>, Krica<double>, Rica<float>, Rica<double>>;
TYPED_TEST_SUITE(BadInput, Kinds);

TYPED_TEST(BadInput, NoData) {
  using M = decltype(this->X_);
  EXPECT_THAT(this->refusal_of(M(0, 5), this->options_),
              AllOf(StartsWith(TypeParam::kOperation), HasSubstr("X is empty (0 x 5)")));
  EXPECT_THAT(this->refusal_of(M(5, 0), this->options_), HasSubstr("X is empty (5 x 0)"));
  EXPECT_THAT(this->refusal_of(M(), this->options_), HasSubstr("(0 x 0)"));
}

TYPED_TEST(BadInput, OneSample) {
  EXPECT_THAT(
      this->refusal_of(decltype(this->X_)(1, 5), this->options_),
      AllOf(StartsWith(TypeParam::kOperation), HasSubstr("at least 2 samples are needed, got 1")));
}

TYPED_TEST(BadInput, NanAndInfInTheData) {
  this->X_(3, 1) = std::numeric_limits<typename TypeParam::Element>::quiet_NaN();
  this->X_(7, 0) = -std::numeric_limits<typename TypeParam::Element>::infinity();
  EXPECT_THAT(this->refusal_of(this->X_, this->options_),
              AllOf(StartsWith(TypeParam::kOperation), HasSubstr("X holds 2 NaN or infinite"),
                    HasSubstr("row 3, column 1")));
}

TYPED_TEST(BadInput, NoAtoms) {
  this->options_.n_components = 0;
  EXPECT_THAT(
      this->refusal_of(this->X_, this->options_),
      AllOf(StartsWith(TypeParam::kOperation), HasSubstr("n_components must be > 0, got 0")));
  this->options_.n_components = -4;
  EXPECT_THAT(this->refusal_of(this->X_, this->options_), HasSubstr("got -4"));
}

TYPED_TEST(BadInput, NoLabels) {
  EXPECT_THAT(this->refusal_of(this->X_, this->with_classes()),
              AllOf(StartsWith("[discrimination]"), HasSubstr("0.3"), HasSubstr("labels")));
}

TYPED_TEST(BadInput, LabelsThatDoNotFit) {
  const auto message = [&](std::vector<int> labels) {
    return this->refusal_of(this->X_, this->with_classes(), labels);
  };
  std::vector<int> labels = this->problem_.labels;
  labels.pop_back();
  EXPECT_THAT(message(labels), AllOf(StartsWith("[discrimination]"), HasSubstr("22 labels"),
                                     HasSubstr("23 samples")));
  labels.push_back(-3);
  EXPECT_THAT(message(labels), AllOf(HasSubstr("-3"), HasSubstr("sample 22")));
  labels.back() = 4;
  EXPECT_THAT(message(labels), HasSubstr("class 3 of 0 ... 4 has no sample"));
  EXPECT_THAT(message(std::vector<int>(23, 0)), HasSubstr("at least 2 classes"));
}

TYPED_TEST(BadInput, LabelsOfAnotherNumberThatAreNotUsed) {
  // Batches gather their labels: a list that is too short would be read beyond its end.
  std::vector<int> labels = this->problem_.labels;
  labels.pop_back();
  EXPECT_THAT(this->refusal_of(this->X_, this->options_, labels),
              AllOf(HasSubstr("22 labels"), HasSubstr("23 samples")));
}

TYPED_TEST(BadInput, AtomsThatTheClassesCannotShare) {
  auto options = this->with_classes();
  options.n_components = 13;
  EXPECT_THAT(this->refusal_of(this->X_, options, this->problem_.labels),
              AllOf(StartsWith("[discrimination]"), HasSubstr("13 atoms"), HasSubstr("3 classes")));
}

TYPED_TEST(BadInput, AtomClassesThatAreNotThere) {
  auto options = this->with_classes();
  options.discrimination.atom_class.assign(12, 0);
  options.discrimination.atom_class[5] = 3;
  EXPECT_THAT(this->refusal_of(this->X_, options, this->problem_.labels),
              HasSubstr("atom 5 has class 3, which is not in 0 ... 2"));
  options.discrimination.atom_class.assign(11, 0);
  EXPECT_THAT(this->refusal_of(this->X_, options, this->problem_.labels),
              HasSubstr("11 atom classes for 12 atoms"));
}

/// Calls each way of evaluating with a bad argument: all refuse alike, the gradient stays as it
/// was, and the objective gives the same bits afterwards.
template <class Kind, class M>
void expect_refused_without_trace(const Context& context, const M& X, const M& good, const M& bad,
                                  const std::vector<std::string>& parts) {
  typename Kind::Options options;
  options.n_components = good.rows();
  typename Kind::Objective objective(X, options);
  M before(good.rows(), good.cols());
  const double value = objective.value_and_gradient(context, good, before);
  M gradient(bad.rows(), bad.cols());
  gradient.view().setConstant(42);
  const std::vector<Index> batch = {0, 5, 2};
  const std::vector<std::function<void()>> calls = {
      [&] { (void)objective.value_and_gradient(context, bad, gradient); },
      [&] { (void)objective.value(context, bad); },
      [&] { (void)objective.value_and_gradient_on(context, batch, bad, gradient); },
      [&] { (void)objective.value_on(context, batch, bad); }};
  for (const auto& call : calls) {
    const std::string message = refusal(call);
    EXPECT_THAT(message, StartsWith(Kind::kOperation));
    for (const std::string& part : parts) EXPECT_THAT(message, HasSubstr(part));
  }
  EXPECT_TRUE((gradient.view().array() == 42).all());
  M after(good.rows(), good.cols());
  EXPECT_TRUE(same_bits(objective.value_and_gradient(context, good, after), value));
  EXPECT_TRUE(same_bits(after, before));
}

TYPED_TEST(BadInput, NanInTheBasis) {
  auto bad = this->W_;
  bad(4, 2) = std::numeric_limits<typename TypeParam::Element>::quiet_NaN();
  expect_refused_without_trace<TypeParam>(this->context_, this->X_, this->W_, bad,
                                          {"W holds 1 NaN or infinite", "row 4, column 2"});
  bad(4, 2) = std::numeric_limits<typename TypeParam::Element>::infinity();
  expect_refused_without_trace<TypeParam>(this->context_, this->X_, this->W_, bad,
                                          {"W holds 1 NaN or infinite", "row 4, column 2"});
}

TYPED_TEST(BadInput, ABasisOfAnotherLength) {
  const decltype(this->W_) bad(12, 6);
  expect_refused_without_trace<TypeParam>(this->context_, this->X_, this->W_, bad,
                                          {"W is 12 x 6, it must be 12 x 5"});
}

TYPED_TEST(BadInput, ABasisOfAnotherNumber) {
  const decltype(this->W_) bad(11, 5);
  expect_refused_without_trace<TypeParam>(this->context_, this->X_, this->W_, bad,
                                          {"W is 11 x 5, it must be 12 x 5"});
}

TYPED_TEST(BadInput, AGradientOfAnotherShape) {
  typename TypeParam::Objective objective(this->X_, this->options_);
  auto gradient = decltype(this->W_)(12, 4);
  gradient.view().setConstant(42);
  EXPECT_THAT(
      refusal([&] { (void)objective.value_and_gradient(this->context_, this->W_, gradient); }),
      AllOf(StartsWith(TypeParam::kOperation),
            HasSubstr("the gradient is 12 x 4, it must be 12 x 5")));
  EXPECT_TRUE((gradient.view().array() == 42).all());
}

TYPED_TEST(BadInput, ACancelledCallThrowsCancelled) {
  typename TypeParam::Objective objective(this->X_, this->options_);
  auto before = decltype(this->W_)(12, 5);
  const double value = objective.value_and_gradient(this->context_, this->W_, before);
  auto gradient = before;
  this->context_.cancel();
  EXPECT_THROW((void)objective.value_and_gradient(this->context_, this->W_, gradient), Cancelled);
  EXPECT_THROW((void)objective.value(this->context_, this->W_), Cancelled);
  const Context other({.threads = 3});
  EXPECT_TRUE(same_bits(objective.value_and_gradient(other, this->W_, gradient), value))
      << "another context's evaluations go on";
  EXPECT_TRUE(same_bits(gradient, before));
  this->context_.clear_cancel();
  EXPECT_TRUE(same_bits(objective.value_and_gradient(this->context_, this->W_, gradient), value));
  EXPECT_TRUE(same_bits(gradient, before));
}

TEST(BadInput, AZeroRowUnderExactNormalisation) {
  Problem problem = random_problem();
  const Context context;
  RicaObjective<double> objective(problem.X, {.n_components = 12, .row_norm = RowNorm::kExact});
  Matrix<double> before(12, 5);
  const double value = objective.value_and_gradient(context, problem.W, before);
  Matrix<double> bad = problem.W;
  bad.view().row(7).setZero();
  Matrix<double> gradient(12, 5);
  gradient.view().setConstant(42);
  EXPECT_THAT(refusal([&] { (void)objective.value_and_gradient(context, bad, gradient); }),
              AllOf(StartsWith("[rica]"), HasSubstr("row 7 of W is zero")));
  EXPECT_THAT(refusal([&] { (void)objective.condition(context, bad); }), HasSubstr("row 7"));
  EXPECT_TRUE((gradient.view().array() == 42).all());
  EXPECT_TRUE(same_bits(objective.value_and_gradient(context, problem.W, gradient), value));
}

TEST(BadInput, AZeroRowIsFineOtherwise) {
  Problem problem = random_problem();
  problem.W.view().row(7).setZero();
  for (const RowNorm row_norm : {RowNorm::kNone, RowNorm::kSoft}) {
    const auto result = support::evaluate<double>(
        Context(), problem, RicaOptions{.n_components = 12, .row_norm = row_norm});
    EXPECT_TRUE(std::isfinite(result.value));
    EXPECT_TRUE(result.gradient.view().allFinite());
  }
}

}  // namespace
}  // namespace krica
