// SPDX-License-Identifier: BSD-3-Clause
//
// RICA in all its conventions, DRICA and d-RICA, against plain loops and central differences.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <tuple>

#include "krica/objectives/rica.hpp"
#include "support/comparison.hpp"
#include "support/gradient_check.hpp"
#include "support/kernels.hpp"
#include "support/problems.hpp"
#include "support/reference.hpp"
#include "support/terms.hpp"
#include "support/tolerances.hpp"

namespace krica {
namespace {

using support::ClassTerm;
using support::evaluate;
using support::Problem;
using support::random_problem;
using support::relative_error;

constexpr std::array kAllContrasts = {Contrast::kSmoothL1, Contrast::kLogCosh,
                                      Contrast::kMatlabLogCosh, Contrast::kExp,
                                      Contrast::kL2Pooling};
constexpr std::array kAllRowNorms = {RowNorm::kNone, RowNorm::kSoft, RowNorm::kExact};

/// Value, gradient and float32.
void expect_right(const RicaOptions& options, const Problem& problem = random_problem()) {
  const Context context({.threads = 2});
  const auto [value, gradient] = evaluate<double>(context, problem, options);
  const auto f = [&](const Matrix<double>& W) {
    return reference::rica(options, problem.X, W, problem.labels);
  };
  EXPECT_LE(relative_error(value, f(problem.W)), support::kSameValue);
  EXPECT_LE(support::gradient_error(gradient, f, problem.W), support::kSameGradient);
  const Problem rounded = support::rounded_to_float(problem);
  const auto exact = evaluate<double>(context, rounded, options);
  const auto single = evaluate<float>(context, rounded, options);
  EXPECT_LE(relative_error(single.value, exact.value), support::kFloatAgainstDouble);
  EXPECT_LE(relative_error(single.gradient, exact.gradient), support::kFloatAgainstDouble);
}

class RicaConventions
    : public testing::TestWithParam<std::tuple<Contrast, WeightOn, Reduce, RowNorm>> {
 protected:
  RicaConventions() {
    std::tie(options_.contrast, options_.weight_on, options_.reduce, options_.row_norm) =
        GetParam();
  }
  RicaOptions options_ = {.n_components = 12, .weight = 0.7, .epsilon = 1e-3};
};

TEST_P(RicaConventions, AreRight) { expect_right(options_); }

TEST_P(RicaConventions, AreRightWithSigns) {
  options_.sign = {1, -1, 1, 1, -1, -1, 1, -1, 1, 1, 1, -1};
  expect_right(options_);
}

TEST_P(RicaConventions, AreRightWithWeightZero) {
  options_.weight = 0;
  expect_right(options_);
}

std::string convention_name(const testing::TestParamInfo<RicaConventions::ParamType>& test) {
  const auto& [contrast, weight_on, reduce, row_norm] = test.param;
  std::string name;
  for (const auto part : {name_of(contrast), std::string_view("On"), name_of(weight_on),
                          name_of(reduce), std::string_view("Rows"), name_of(row_norm)})
    name += part;
  return support::test_name(name);
}

INSTANTIATE_TEST_SUITE_P(
    Rica, RicaConventions,
    testing::Combine(testing::ValuesIn(kAllContrasts),
                     testing::Values(WeightOn::kSparsity, WeightOn::kReconstruction),
                     testing::Values(Reduce::kMean, Reduce::kSum), testing::ValuesIn(kAllRowNorms)),
    convention_name);

class RicaTerms : public testing::TestWithParam<std::tuple<ClassTerm, AtomGrouping, RowNorm>> {};

TEST_P(RicaTerms, AreRight) {
  const auto [classes, grouping, row_norm] = GetParam();
  for (const Reduce reduce : {Reduce::kMean, Reduce::kSum}) {
    expect_right({.n_components = 12,
                  .contrast = Contrast::kL2Pooling,
                  .weight = 0.4,
                  .reduce = reduce,
                  .row_norm = row_norm,
                  .epsilon = 1e-3,
                  .groups = support::groups_of(grouping, 12),
                  .discrimination = support::discrimination_of(classes)});
  }
}

TEST_P(RicaTerms, AreRightWithSigns) {
  const auto [classes, grouping, row_norm] = GetParam();
  expect_right({.n_components = 12,
                .contrast = Contrast::kL2Pooling,
                .weight = 0.4,
                .weight_on = WeightOn::kReconstruction,
                .row_norm = row_norm,
                .epsilon = 1e-3,
                .groups = support::groups_of(grouping, 12),
                .sign = {-1, -1, 1, 1, -1, -1, 1, -1, 1, 1, 1, -1},
                .discrimination = support::discrimination_of(classes)});
}

std::string terms_name(const testing::TestParamInfo<RicaTerms::ParamType>& test) {
  const auto& [classes, grouping, row_norm] = test.param;
  return support::test_name(classes) + support::test_name(grouping) + "Rows" +
         std::string(name_of(row_norm));
}

INSTANTIATE_TEST_SUITE_P(Rica, RicaTerms,
                         testing::Combine(testing::ValuesIn(support::kAllClassTerms),
                                          testing::ValuesIn(support::kAllGroupings),
                                          testing::ValuesIn(kAllRowNorms)),
                         terms_name);

struct Size {
  Index m, n, K;
};

class RicaSizes : public testing::TestWithParam<Size> {};

TEST_P(RicaSizes, AreRight) {
  const auto [m, n, K] = GetParam();
  const Problem problem = random_problem({m, n, K, 2}, 3);
  const RicaOptions options = {.n_components = K, .contrast = Contrast::kLogCosh, .weight = 0.3};
  const auto value = evaluate<double>(Context({.threads = 2}), problem, options).value;
  EXPECT_LE(relative_error(value, reference::rica(options, problem.X, problem.W, {})),
            support::kSameValue);
  // The gradient against the linear kernel's, which has its own test.
  const RicaOptions rica = {.n_components = K, .weight = 0.3};
  const KricaOptions linear = {
      .n_components = K, .kernel = {.kind = KernelKind::kLinear}, .sparsity = 0.3};
  EXPECT_LE(relative_error(evaluate<double>(Context(), problem, rica).gradient,
                           reference::krica_gradient(linear, problem.X, problem.W, {})),
            support::kSameValue);
}

INSTANTIATE_TEST_SUITE_P(Rica, RicaSizes,
                         testing::Values(Size{2, 1, 1}, Size{3, 2, 1}, Size{2, 1, 7}, Size{7, 3, 2},
                                         Size{8, 8, 8}, Size{9, 31, 3}, Size{31, 9, 33},
                                         Size{129, 65, 65}, Size{257, 129, 9}, Size{33, 257, 5},
                                         Size{40, 2, 257}),
                         [](const auto& test) {
                           return std::to_string(test.param.m) + "x" +
                                  std::to_string(test.param.n) + "x" + std::to_string(test.param.K);
                         });

/// x_1 = (1,0), x_2 = (0,2); w_1 = (1,1), w_2 = (0,1). Codes (1,0) and (2,2); WᵀWx - x is (0,1) and
/// (2,2), so the reconstruction is (1 + 8)/2.
class RicaByHand : public testing::Test {
 protected:
  RicaByHand() {
    problem_.X(0, 0) = 1;
    problem_.X(1, 1) = 2;
    problem_.W(0, 0) = problem_.W(0, 1) = problem_.W(1, 1) = 1;
  }
  double value() { return evaluate<double>(Context(), problem_, options_).value; }
  Problem problem_{Matrix<double>(2, 2), Matrix<double>(2, 2), {0, 1}};
  RicaOptions options_ = {.n_components = 2, .weight = 0.5, .epsilon = 3};
};

TEST_F(RicaByHand, SmoothL1) {
  EXPECT_DOUBLE_EQ(value(), 4.5 + 0.25 * (2 + std::sqrt(3.0) + 2 * std::sqrt(7.0)));
}

TEST_F(RicaByHand, GradientOfSmoothL1) {
  const auto gradient = evaluate<double>(Context(), problem_, options_).gradient;
  const double root = 1 / std::sqrt(7.0);
  EXPECT_DOUBLE_EQ(gradient(0, 0), 5.125);
  EXPECT_DOUBLE_EQ(gradient(0, 1), 13 + root);
  EXPECT_DOUBLE_EQ(gradient(1, 0), 5);
  EXPECT_DOUBLE_EQ(gradient(1, 1), 8 + root);
}

TEST_F(RicaByHand, WeightOnTheReconstruction) {
  options_.weight_on = WeightOn::kReconstruction;
  options_.contrast = Contrast::kExp;
  options_.reduce = Reduce::kSum;
  EXPECT_DOUBLE_EQ(value(), 0.5 * 9 - (std::exp(-0.5) + 1 + 2 * std::exp(-2.0)));
}

TEST_F(RicaByHand, LogCosh) {
  options_.contrast = Contrast::kLogCosh;
  EXPECT_NEAR(value(), 4.5 + 0.25 * (std::log(std::cosh(1)) + 2 * std::log(std::cosh(2))), 1e-14);
  options_.contrast = Contrast::kMatlabLogCosh;
  EXPECT_NEAR(value(), 4.5 + 0.125 * (std::log(std::cosh(2)) + 2 * std::log(std::cosh(4))), 1e-14);
}

TEST_F(RicaByHand, L2Pooling) {
  options_.contrast = Contrast::kL2Pooling;
  options_.groups = AtomGroups::of_size(2);
  EXPECT_DOUBLE_EQ(value(), 4.5 + 0.25 * 2 * (2 + std::sqrt(11.0)));
}

TEST_F(RicaByHand, DiscriminationInBothReadings) {
  // Codes (1,0) of class 0 and (2,2) of class 1. η = 2 in both: 0-1+2 and 4-4+16.
  options_.weight = 0;
  options_.discrimination.weight = 1;
  EXPECT_DOUBLE_EQ(value(), 4.5 + 0.5 * (1 + 16));
  options_.discrimination.reading = DiscriminationReading::kSelect;
  EXPECT_DOUBLE_EQ(value(), 4.5 + 0.5 * (1 + 16));
  options_.discrimination.homogeneous = false;  // η = 0: 0 and 4
  EXPECT_DOUBLE_EQ(value(), 4.5 + 0.5 * 4);
}

TEST_F(RicaByHand, RowsAreNormalised) {
  options_.weight = 0;
  options_.row_norm = RowNorm::kExact;  // v_1 = (1,1)/√2: VᵀVx - x is (-1/2,1/2) and (1,1)
  EXPECT_DOUBLE_EQ(value(), 0.5 * (0.5 + 2));
  problem_.W.view() *= 1e6;  // its scale does not matter
  EXPECT_DOUBLE_EQ(value(), 0.5 * (0.5 + 2));
}

TEST(Rica, LogCoshStaysFiniteForLargeCodes) {
  Problem problem = random_problem();
  problem.W.view() *= 1e4;
  for (const Contrast contrast : {Contrast::kLogCosh, Contrast::kMatlabLogCosh}) {
    const RicaOptions options = {.n_components = 12,
                                 .contrast = contrast,
                                 .weight = 0,
                                 .weight_on = WeightOn::kReconstruction};
    const auto [value, gradient] = evaluate<double>(Context(), problem, options);
    double expected = 0;  // log cosh(βs)/β = |s| - log(2)/β for large |s|
    const RowMajor<double> S = problem.X.view() * problem.W.view().transpose();
    const double shift = std::log(2.0) / (contrast == Contrast::kLogCosh ? 1 : 2);
    expected = (S.array().abs() - shift).sum() / 23;
    EXPECT_LE(relative_error(value, expected), 1e-9);
    EXPECT_TRUE(gradient.view().allFinite());
  }
}

TEST(Rica, SaysItsShapeAndOptions) {
  const Problem problem = random_problem();
  const RicaObjective<double> objective(problem.X, {.n_components = 4, .weight = 0.25});
  EXPECT_EQ(objective.rows(), 4);
  EXPECT_EQ(objective.cols(), 5);
  EXPECT_EQ(objective.n_samples(), 23);
  EXPECT_EQ(objective.options().weight, 0.25);
}

}  // namespace
}  // namespace krica
