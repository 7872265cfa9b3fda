// SPDX-License-Identifier: BSD-3-Clause
//
// kRICA and d-kRICA against plain loops and central differences: every kernel with every class term
// and every H, each term by itself, sizes that straddle tiles and vector widths, and values by
// hand.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <tuple>

#include "krica/objectives/krica.hpp"
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

const Context& context() {
  static const Context shared({.threads = 2});
  return shared;
}

void expect_value(const Problem& problem, const KricaOptions& options) {
  const double expected = reference::krica(options, problem.X, problem.W, problem.labels);
  const double value = evaluate<double>(context(), problem, options).value;
  EXPECT_LE(relative_error(value, expected), support::kSameValue) << value << " " << expected;
}

void expect_gradient(const Problem& problem, const KricaOptions& options) {
  const auto f = [&](const Matrix<double>& W) {
    return reference::krica(options, problem.X, W, problem.labels);
  };
  const Matrix<double> gradient = evaluate<double>(context(), problem, options).gradient;
  EXPECT_LE(support::gradient_error(gradient, f, problem.W), support::kSameGradient);
}

void expect_float(const Problem& original, const KricaOptions& options) {
  const Problem problem = support::rounded_to_float(original);
  const auto exact = evaluate<double>(context(), problem, options);
  const auto single = evaluate<float>(context(), problem, options);
  EXPECT_LE(relative_error(single.value, exact.value), support::kFloatAgainstDouble);
  EXPECT_LE(relative_error(single.gradient, exact.gradient), support::kFloatAgainstDouble);
}

KricaOptions options_for(KernelKind kernel, ClassTerm classes, AtomGrouping grouping) {
  return {.n_components = 12,
          .kernel = support::kernel_of(kernel),
          .sparsity = 0.2,
          .epsilon = 1e-3,
          .groups = support::groups_of(grouping, 12),
          .discrimination = support::discrimination_of(classes)};
}

class KricaCombinations
    : public testing::TestWithParam<std::tuple<KernelKind, ClassTerm, AtomGrouping>> {
 protected:
  const Problem problem_ = random_problem();
  const KricaOptions options_ = std::apply(options_for, GetParam());
};

TEST_P(KricaCombinations, ValueIsThatOfTheLoops) { expect_value(problem_, options_); }
TEST_P(KricaCombinations, GradientIsTheCentralDifference) { expect_gradient(problem_, options_); }
TEST_P(KricaCombinations, Float32AgreesWithFloat64) { expect_float(problem_, options_); }

std::string combination_name(const testing::TestParamInfo<KricaCombinations::ParamType>& test) {
  const auto& [kernel, classes, grouping] = test.param;
  return support::test_name(kernel) + support::test_name(classes) + support::test_name(grouping);
}

INSTANTIATE_TEST_SUITE_P(Krica, KricaCombinations,
                         testing::Combine(testing::ValuesIn(support::kAllKernels),
                                          testing::ValuesIn(support::kAllClassTerms),
                                          testing::ValuesIn(support::kAllGroupings)),
                         combination_name);

struct Term {
  const char* name;
  double reconstruction, sparsity;
  ClassTerm classes;
  AtomGrouping groups = AtomGrouping::kNone;
};

class KricaTerms : public testing::TestWithParam<std::tuple<KernelKind, Term>> {
 protected:
  KricaTerms() {
    const auto& [kernel, term] = GetParam();
    options_ = options_for(kernel, term.classes, term.groups);
    options_.reconstruction = term.reconstruction;
    options_.sparsity = term.sparsity;
  }
  const Problem problem_ = random_problem({}, 2);
  KricaOptions options_;
};

TEST_P(KricaTerms, ValueIsThatOfTheLoops) { expect_value(problem_, options_); }
TEST_P(KricaTerms, GradientIsTheCentralDifference) { expect_gradient(problem_, options_); }
TEST_P(KricaTerms, Float32AgreesWithFloat64) { expect_float(problem_, options_); }

INSTANTIATE_TEST_SUITE_P(
    Krica, KricaTerms,
    testing::Combine(
        testing::ValuesIn(support::kAllKernels),
        testing::Values(
            Term{"ReconstructionAlone", 1, 0, ClassTerm::kNone},
            Term{"ReconstructionWeighted", 2.5, 0, ClassTerm::kNone},
            Term{"SparsityAlone", 0, 0.7, ClassTerm::kNone},
            Term{"TopographicAlone", 0, 0.7, ClassTerm::kNone, AtomGrouping::kTopographic},
            Term{"GroupsAlone", 0, 0.7, ClassTerm::kNone, AtomGrouping::kGroups},
            Term{"CustomAlone", 0, 0.7, ClassTerm::kNone, AtomGrouping::kCustom},
            Term{"SumAlone", 0, 0, ClassTerm::kSum}, Term{"SelectAlone", 0, 0, ClassTerm::kSelect},
            Term{"DricaAlone", 0, 0, ClassTerm::kDrica})),
    [](const auto& test) {
      return support::test_name(std::get<0>(test.param)) + std::get<1>(test.param).name;
    });

struct Size {
  Index m, n, K;
};

class KricaSizes : public testing::TestWithParam<std::tuple<KernelKind, Size>> {};

TEST_P(KricaSizes, ValueAndGradientAreThoseOfTheLoops) {
  const auto& [kernel, size] = GetParam();
  const Problem problem = random_problem({size.m, size.n, size.K, 2}, 3);
  const KricaOptions options = {.n_components = size.K, .kernel = support::kernel_of(kernel)};
  const auto [value, gradient] = evaluate<double>(context(), problem, options);
  const double expected = reference::krica(options, problem.X, problem.W, {});
  EXPECT_LE(relative_error(value, expected), support::kSameValue);
  const auto slope = reference::krica_gradient(options, problem.X, problem.W, {});
  EXPECT_LE(relative_error(gradient, slope), support::kSameValue);
}

INSTANTIATE_TEST_SUITE_P(
    Krica, KricaSizes,
    testing::Combine(testing::ValuesIn(support::kAllKernels),
                     testing::Values(Size{2, 1, 1}, Size{3, 2, 1}, Size{2, 1, 7}, Size{7, 3, 2},
                                     Size{8, 8, 8}, Size{9, 31, 3}, Size{31, 9, 33},
                                     Size{65, 7, 65}, Size{129, 5, 9}, Size{33, 65, 129},
                                     Size{257, 3, 33}, Size{40, 2, 257})),
    [](const auto& test) {
      const Size size = std::get<1>(test.param);
      return support::test_name(std::get<0>(test.param)) + std::to_string(size.m) + "x" +
             std::to_string(size.n) + "x" + std::to_string(size.K);
    });

/// Two samples, two atoms, γ = ln 2: every kernel value is a power of 2.
///   x_1 = (0,0), x_2 = (1,0); w_1 = (0,0), w_2 = (0,1)
///   S = [1 1/2; 1/2 1/4], G = [1 1/2; 1/2 1]
/// Reconstruction: 1 + 1.75 - 2.5 = 0.25 and 1 + 0.4375 - 0.625 = 0.8125; their mean 0.53125.
class KricaByHand : public testing::Test {
 protected:
  KricaByHand() {
    problem_.X(1, 0) = 1;
    problem_.W(1, 1) = 1;
  }
  Problem problem_{Matrix<double>(2, 2), Matrix<double>(2, 2), {0, 1}};
  KricaOptions options_ = {
      .n_components = 2, .kernel = {.gamma = std::numbers::ln2}, .sparsity = 0};
};

TEST_F(KricaByHand, Reconstruction) {
  EXPECT_DOUBLE_EQ(evaluate<double>(context(), problem_, options_).value, 0.53125);
}

TEST_F(KricaByHand, GradientOfTheReconstruction) {
  // M = A∘S: column 1 (-0.75, -0.1875), column 2 zero; 2 N_12 = 0.3125.
  const auto gradient = evaluate<double>(context(), problem_, options_).gradient;
  const double factor = -2 * std::numbers::ln2;
  EXPECT_DOUBLE_EQ(gradient(0, 0), factor * 0.1875);
  EXPECT_DOUBLE_EQ(gradient(0, 1), factor * -0.3125);
  EXPECT_NEAR(gradient(1, 0), 0, 1e-15);
  EXPECT_DOUBLE_EQ(gradient(1, 1), factor * 0.3125);
}

TEST_F(KricaByHand, PooledSparsity) {
  options_.sparsity = 0.5;
  options_.epsilon = 0.3125;
  options_.groups = AtomGroups::of_size(2);  // ‖s_1‖² = 1.25, ‖s_2‖² = 0.3125
  EXPECT_DOUBLE_EQ(evaluate<double>(context(), problem_, options_).value,
                   0.53125 + 0.5 * (1.25 + std::sqrt(0.625)));
}

TEST_F(KricaByHand, DiscriminationInTheSumReading) {
  // k = 1, so η = 2: 0.25 - 1 + 2.5 = 1.75 and 0.25 - 0.0625 + 0.625 = 0.8125.
  options_.discrimination.weight = 0.5;
  EXPECT_DOUBLE_EQ(evaluate<double>(context(), problem_, options_).value,
                   0.53125 + 0.5 * (1.75 + 0.8125) / 2);
}

TEST_F(KricaByHand, SelfKernelIsNotAlwaysOne) {
  // Linear: κ(x,x) = 0 and 1; no atom sees x_1 or x_2, so nothing is reconstructed.
  options_.kernel = {.kind = KernelKind::kLinear};
  EXPECT_DOUBLE_EQ(evaluate<double>(context(), problem_, options_).value, 0.5);
}

TEST(Krica, SaysItsShapeAndOptions) {
  const Problem problem = random_problem();
  const KricaObjective<double> objective(problem.X, {.n_components = 12});
  EXPECT_EQ(objective.rows(), 12);
  EXPECT_EQ(objective.cols(), 5);
  EXPECT_EQ(objective.n_samples(), 23);
  EXPECT_EQ(objective.options().n_components, 12);
  EXPECT_EQ(objective.options().epsilon, 1e-4);
}

TEST(Krica, AtomsOnTopOfEachOtherAndOfSamples) {
  // Distances of exactly 0, and the half of the histogram intersection at equality.
  Problem problem = random_problem();
  std::copy_n(problem.W.row(0), 5, problem.W.row(1));
  std::copy_n(problem.X.row(0), 5, problem.W.row(2));
  for (const KernelKind kind : support::kAllKernels) {
    SCOPED_TRACE(name_of(kind));
    const KricaOptions options = {.n_components = 12, .kernel = support::kernel_of(kind)};
    expect_value(problem, options);
    const auto gradient = evaluate<double>(context(), problem, options).gradient;
    const auto expected = reference::krica_gradient(options, problem.X, problem.W, {});
    EXPECT_LE(relative_error(gradient, expected), support::kSameValue);
  }
}

}  // namespace
}  // namespace krica
