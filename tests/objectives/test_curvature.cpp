// SPDX-License-Identifier: BSD-3-Clause
//
// The fixed-point form ∂f/∂w_p = D_p (w_p - w*_p) of distance kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "krica/objectives/krica.hpp"
#include "support/comparison.hpp"
#include "support/kernels.hpp"
#include "support/problems.hpp"
#include "support/reference.hpp"
#include "support/terms.hpp"
#include "support/tolerances.hpp"

namespace krica {
namespace {

using support::ClassTerm;
using support::Problem;
using support::random_problem;
using support::relative_error;

class Curvature : public testing::TestWithParam<std::tuple<ClassTerm, AtomGrouping>> {};

TEST_P(Curvature, IsThatOfTheGaussiansFixedPoint) {
  const auto [classes, grouping] = GetParam();
  const Problem problem = random_problem();
  const KricaOptions options = {.n_components = 12,
                                .kernel = support::kernel_of(KernelKind::kGaussian),
                                .sparsity = 0.2,
                                .groups = support::groups_of(grouping, 12),
                                .discrimination = support::discrimination_of(classes)};
  const Context context({.threads = 2});
  KricaObjective<double> objective(problem.X, options, problem.labels);
  Matrix<double> gradient(12, 5);
  std::vector<double> D(12);
  (void)objective.value_gradient_and_curvature(context, problem.W, gradient, D);
  const auto [curvature, target] =
      reference::gaussian_fixed_point(options, problem.X, problem.W, problem.labels);
  Matrix<double> expected(12, 5);
  for (Index p = 0; p < 12; ++p) {
    EXPECT_NEAR(D[p], curvature[p], 1e-12);
    for (Index j = 0; j < 5; ++j) expected(p, j) = D[p] * (problem.W(p, j) - target(p, j));
  }
  EXPECT_LE(relative_error(gradient, expected), 1e-11);
}

std::string curvature_name(const testing::TestParamInfo<Curvature::ParamType>& test) {
  return support::test_name(std::get<0>(test.param)) + support::test_name(std::get<1>(test.param));
}

INSTANTIATE_TEST_SUITE_P(Krica, Curvature,
                         testing::Combine(testing::ValuesIn(support::kAllClassTerms),
                                          testing::Values(AtomGrouping::kNone,
                                                          AtomGrouping::kTopographic)),
                         curvature_name);

template <class Scalar>
void expect_the_plain_value_and_gradient(KernelKind kind) {
  const Problem problem = random_problem();
  const Matrix<Scalar> X = support::cast_to<Scalar>(problem.X);
  const Matrix<Scalar> W = support::cast_to<Scalar>(problem.W);
  const Context context({.threads = 2});
  KricaObjective<Scalar> objective(X, {.n_components = 12, .kernel = support::kernel_of(kind)});
  Matrix<Scalar> plain(12, 5);
  Matrix<Scalar> gradient(12, 5);
  std::vector<double> curvature(12);
  const double value = objective.value_and_gradient(context, W, plain);
  EXPECT_TRUE(support::same_bits(
      objective.value_gradient_and_curvature(context, W, gradient, curvature), value));
  EXPECT_TRUE(support::same_bits(gradient, plain));
  EXPECT_THAT(curvature, testing::Each(testing::Ne(0.0)));
}

TEST(Curvature, ComesWithThePlainValueAndGradient) {
  for (const KernelKind kind :
       {KernelKind::kGaussian, KernelKind::kInverseDistance, KernelKind::kInverseSquareDistance}) {
    expect_the_plain_value_and_gradient<double>(kind);
    expect_the_plain_value_and_gradient<float>(kind);
  }
}

class NoCurvature : public testing::TestWithParam<KernelKind> {};

TEST_P(NoCurvature, IsRefused) {
  const Problem problem = random_problem();
  const Context context;
  KricaObjective<double> objective(problem.X,
                                   {.n_components = 12, .kernel = support::kernel_of(GetParam())});
  Matrix<double> gradient(12, 5);
  gradient.view().setConstant(7);
  std::vector<double> curvature(12, 7);
  EXPECT_THAT(support::refusal([&] {
                (void)objective.value_gradient_and_curvature(context, problem.W, gradient,
                                                             curvature);
              }),
              testing::AllOf(testing::StartsWith("[fixed_point]"),
                             testing::HasSubstr(std::string(name_of(GetParam())))));
  EXPECT_TRUE((gradient.view().array() == 7).all());
  EXPECT_THAT(curvature, testing::Each(7.0));
}

INSTANTIATE_TEST_SUITE_P(Krica, NoCurvature,
                         testing::Values(KernelKind::kLinear, KernelKind::kPolynomial,
                                         KernelKind::kHistogramIntersection),
                         [](const auto& test) { return support::test_name(test.param); });

TEST(Curvature, NeedsOnePlaceARow) {
  const Problem problem = random_problem();
  const Context context;
  KricaObjective<double> objective(problem.X, {.n_components = 12});
  Matrix<double> gradient(12, 5);
  for (const std::size_t size : {0U, 11U, 13U}) {
    std::vector<double> curvature(size);
    EXPECT_THAT(support::refusal([&] {
                  (void)objective.value_gradient_and_curvature(context, problem.W, gradient,
                                                               curvature);
                }),
                testing::AllOf(testing::HasSubstr(std::to_string(size) + " curvatures"),
                               testing::HasSubstr("12 rows")));
  }
}

}  // namespace
}  // namespace krica
