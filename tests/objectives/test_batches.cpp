// SPDX-License-Identifier: BSD-3-Clause
//
// The ways to evaluate one function: value alone, on all samples, on some of them, twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "krica/runtime/words.hpp"
#include "support/comparison.hpp"
#include "support/kernels.hpp"
#include "support/problems.hpp"
#include "support/terms.hpp"
#include "support/tolerances.hpp"

namespace krica {
namespace {

using support::Problem;
using support::random_problem;
using support::relative_error;
using support::same_bits;

std::vector<Index> counting(Index first, Index last) {
  std::vector<Index> indices(static_cast<std::size_t>(last - first));
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

/// Options of one objective, with a class term: batches must carry their labels along.
template <class Options>
Options with_classes(Options options) {
  options.n_components = 12;
  options.discrimination = support::discrimination_of(support::ClassTerm::kSum);
  return options;
}

template <class Scalar>
struct Fixture {
  Problem problem = random_problem({.m = 301, .n = 6, .K = 12});
  Matrix<Scalar> X = support::cast_to<Scalar>(problem.X);
  Matrix<Scalar> W = support::cast_to<Scalar>(problem.W);
  Context context{{.threads = 2}};
};

template <class Scalar, class Options>
void expect_value_alone_is_the_same(const Options& options) {
  const Fixture<Scalar> f;
  auto objective = support::objective_of<Scalar>(f.X, options, f.problem.labels);
  Matrix<Scalar> gradient(12, 6);
  const double value = objective.value_and_gradient(f.context, f.W, gradient);
  EXPECT_LE(relative_error(objective.value(f.context, f.W), value), support::kSameValue);
  const auto batch = counting(40, 80);
  const double on_batch = objective.value_and_gradient_on(f.context, batch, f.W, gradient);
  EXPECT_LE(relative_error(objective.value_on(f.context, batch, f.W), on_batch),
            support::kSameValue);
}

template <class Scalar, class Options>
void expect_all_samples_is_the_whole(const Options& options) {
  const Fixture<Scalar> f;
  auto objective = support::objective_of<Scalar>(f.X, options, f.problem.labels);
  Matrix<Scalar> whole(12, 6);
  Matrix<Scalar> gradient(12, 6);
  const double value = objective.value_and_gradient(f.context, f.W, whole);
  const double on_all = objective.value_and_gradient_on(f.context, counting(0, 301), f.W, gradient);
  EXPECT_LE(relative_error(on_all, value), support::kReordered<Scalar>);
  EXPECT_LE(relative_error(gradient, whole), support::kReordered<Scalar>);
}

/// Batches of unlike sizes, weighted by them (or added, where the objective is a sum).
template <class Scalar, class Options>
void expect_batches_average_to_the_whole(const Options& options, bool is_sum = false) {
  const Fixture<Scalar> f;
  auto objective = support::objective_of<Scalar>(f.X, options, f.problem.labels);
  Matrix<Scalar> whole(12, 6);
  const double value = objective.value_and_gradient(f.context, f.W, whole);
  Random random(1, "tests.batches");
  const std::vector<Index> order = random_permutation(random, 301);
  double mean_value = 0;
  Matrix<double> mean_gradient(12, 6);
  for (const auto& [first, last] : {std::pair<Index, Index>{0, 1}, {1, 3}, {3, 140}, {140, 301}}) {
    const std::vector<Index> batch(order.begin() + first, order.begin() + last);
    Matrix<Scalar> gradient(12, 6);
    const double weight = is_sum ? 1.0 : static_cast<double>(last - first) / 301;
    mean_value += weight * objective.value_and_gradient_on(f.context, batch, f.W, gradient);
    mean_gradient.view() += weight * gradient.view().template cast<double>();
  }
  EXPECT_LE(relative_error(mean_value, value), support::kReordered<Scalar>);
  EXPECT_LE(relative_error(mean_gradient, whole), support::kReordered<Scalar>);
}

/// Evaluations of other kinds and sizes in between leave no trace.
template <class Scalar, class Options>
void expect_repeatable(const Options& options) {
  const Fixture<Scalar> f;
  auto objective = support::objective_of<Scalar>(f.X, options, f.problem.labels);
  Matrix<Scalar> first(12, 6);
  Matrix<Scalar> again(12, 6);
  Matrix<Scalar> other(12, 6);
  const double value = objective.value_and_gradient(f.context, f.W, first);
  (void)objective.value_and_gradient_on(f.context, counting(0, 5), f.W, other);
  (void)objective.value_on(f.context, counting(100, 300), f.W);
  (void)objective.value(f.context, other);
  again.view().setConstant(std::numeric_limits<Scalar>::quiet_NaN());
  EXPECT_TRUE(same_bits(objective.value_and_gradient(f.context, f.W, again), value));
  EXPECT_TRUE(same_bits(again, first));
}

template <class Scalar, class Options>
void expect_all(const Options& options) {
  expect_value_alone_is_the_same<Scalar>(options);
  expect_all_samples_is_the_whole<Scalar>(options);
  expect_batches_average_to_the_whole<Scalar>(options);
  expect_repeatable<Scalar>(options);
}

class KricaBatches : public testing::TestWithParam<KernelKind> {};

TEST_P(KricaBatches, AreTheSameFunction) {
  const auto options = with_classes(KricaOptions{.kernel = support::kernel_of(GetParam())});
  expect_all<double>(options);
  expect_all<float>(options);
}

TEST_P(KricaBatches, AreTheSameFunctionInSmallBlocks) {
  const auto options =
      with_classes(KricaOptions{.kernel = support::kernel_of(GetParam()), .block_rows = 64});
  expect_all<double>(options);
}

INSTANTIATE_TEST_SUITE_P(Batches, KricaBatches, testing::ValuesIn(support::kAllKernels),
                         [](const auto& test) { return support::test_name(test.param); });

class RicaBatches : public testing::TestWithParam<std::string> {};

TEST_P(RicaBatches, AreTheSameFunction) {
  auto options = with_classes(RicaOptions{});
  apply_convention(options, from_words<RicaConvention>(GetParam(), "convention"));
  expect_all<double>(options);
  expect_all<float>(options);
}

INSTANTIATE_TEST_SUITE_P(Batches, RicaBatches, testing::Values("paper", "le", "matlab"),
                         [](const auto& test) { return test.param; });

TEST(RicaBatches, OfASumAddUpToTheWhole) {
  expect_batches_average_to_the_whole<double>(with_classes(RicaOptions{.reduce = Reduce::kSum}),
                                              true);
}

TEST(Batches, MayRepeatSamples) {
  const Fixture<double> f;
  KricaObjective<double> objective(f.X, {.n_components = 12});
  const double twice = objective.value_on(f.context, std::vector<Index>{7, 7, 9, 9}, f.W);
  EXPECT_LE(relative_error(twice, objective.value_on(f.context, std::vector<Index>{7, 9}, f.W)),
            support::kSameValue);
}

template <class Objective>
void expect_refusals(Objective&& objective, const Fixture<double>& f,
                     const std::string& operation) {
  Matrix<double> gradient(12, 6);
  const auto message = [&](std::vector<Index> batch) {
    return support::refusal(
        [&] { (void)objective.value_and_gradient_on(f.context, batch, f.W, gradient); });
  };
  EXPECT_THAT(message({}), testing::AllOf(testing::StartsWith("[" + operation + "]"),
                                          testing::HasSubstr("batch is empty")));
  EXPECT_THAT(message({0, 301}), testing::HasSubstr("sample 301 is not in 0 ... 300"));
  EXPECT_THAT(message({-1}), testing::HasSubstr("sample -1"));
}

TEST(Batches, RefuseSamplesThatAreNotThere) {
  const Fixture<double> f;
  expect_refusals(KricaObjective<double>(f.X, {.n_components = 12}), f, "krica");
  expect_refusals(RicaObjective<double>(f.X, {.n_components = 12}), f, "rica");
}

TEST(Batches, TakeViewsWithAnOuterStride) {
  const Fixture<double> f;
  const ConstMatrixView<double> X(f.X.data() + 1, 301, 4, 6);
  const ConstMatrixView<double> W(f.W.data() + 1, 12, 4, 6);
  const Matrix<double> tight_X = Matrix<double>::copy_of(X);
  const Matrix<double> tight_W = Matrix<double>::copy_of(W);
  for (const KernelKind kind : support::kAllKernels) {
    const KricaOptions options = {.n_components = 12, .kernel = support::kernel_of(kind)};
    KricaObjective<double> strided(X, options);
    KricaObjective<double> tight(tight_X, options);
    Matrix<double> memory(12, 7);
    Matrix<double> gradient(12, 4);
    const MatrixView<double> part(memory.data() + 2, 12, 4, 7);
    EXPECT_LE(relative_error(strided.value_and_gradient(f.context, W, part),
                             tight.value_and_gradient(f.context, tight_W, gradient)),
              support::kSameValue);
    EXPECT_LE(relative_error(Matrix<double>::copy_of(part), gradient), support::kSameValue);
    EXPECT_TRUE((memory.view().leftCols(2).array() == 0).all());
    EXPECT_TRUE((memory.view().rightCols(1).array() == 0).all());
  }
}

}  // namespace
}  // namespace krica
