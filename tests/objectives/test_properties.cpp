// SPDX-License-Identifier: BSD-3-Clause
//
// Identities between the objectives.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <tuple>

#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "support/comparison.hpp"
#include "support/kernels.hpp"
#include "support/problems.hpp"
#include "support/terms.hpp"
#include "support/tolerances.hpp"

namespace krica {
namespace {

using support::ClassTerm;
using support::evaluate;
using support::Problem;
using support::random_problem;
using support::relative_error;

class LinearKrica : public testing::TestWithParam<std::tuple<ClassTerm, AtomGrouping>> {};

TEST_P(LinearKrica, IsRicaInThePapersConvention) {
  const auto [classes, grouping] = GetParam();
  const Problem problem = random_problem({.m = 300, .n = 9, .K = 12});
  const KricaOptions krica = {.n_components = 12,
                              .kernel = {.kind = KernelKind::kLinear},
                              .sparsity = 0.2,
                              .groups = support::groups_of(grouping, 12),
                              .discrimination = support::discrimination_of(classes)};
  RicaOptions rica = {.n_components = 12,
                      .weight = 0.2,
                      .groups = krica.groups,
                      .discrimination = krica.discrimination};
  apply_convention(rica, RicaConvention::kPaper);
  const Context context({.threads = 2});
  const auto a = evaluate<double>(context, problem, krica);
  const auto b = evaluate<double>(context, problem, rica);
  EXPECT_LE(relative_error(a.value, b.value), support::kSameValue);
  EXPECT_LE(relative_error(a.gradient, b.gradient), support::kSameValue);
}

std::string linear_name(const testing::TestParamInfo<LinearKrica::ParamType>& test) {
  return support::test_name(std::get<0>(test.param)) + support::test_name(std::get<1>(test.param));
}

INSTANTIATE_TEST_SUITE_P(Properties, LinearKrica,
                         testing::Combine(testing::ValuesIn(support::kAllClassTerms),
                                          testing::ValuesIn(support::kAllGroupings)),
                         linear_name);

/// Everything about discrimination set, but its weight 0: the plain objective, bit for bit.
template <class Scalar, class Options>
void expect_weight_zero_is_nothing(const Options& plain) {
  const Problem problem = random_problem();
  Options with_zero = plain;
  with_zero.discrimination = support::discrimination_of(ClassTerm::kSelect, 0.0);
  with_zero.discrimination.elastic = 5;
  Problem unlabelled = problem;
  unlabelled.labels.clear();
  const Context context({.threads = 2});
  const auto expected = evaluate<Scalar>(context, unlabelled, plain);
  for (const Problem& given : {problem, unlabelled}) {
    const auto result = evaluate<Scalar>(context, given, with_zero);
    EXPECT_TRUE(support::same_bits(result.value, expected.value));
    EXPECT_TRUE(support::same_bits(result.gradient, expected.gradient));
  }
}

TEST(DiscriminationOfWeightZero, IsKrica) {
  for (const KernelKind kind : support::kAllKernels) {
    const KricaOptions options = {.n_components = 12, .kernel = support::kernel_of(kind)};
    expect_weight_zero_is_nothing<double>(options);
    expect_weight_zero_is_nothing<float>(options);
  }
}

TEST(DiscriminationOfWeightZero, IsRica) {
  expect_weight_zero_is_nothing<double>(RicaOptions{.n_components = 12});
  expect_weight_zero_is_nothing<float>(RicaOptions{.n_components = 12});
}

/// m×n with (1/m) XᵀX = I: orthonormal columns times sqrt(m).
Matrix<double> whitened(Index m, Index n) {
  const Matrix<double> random = support::random_matrix<double>(m, n);
  const RowMajor<double> columns = random.view();
  const Eigen::HouseholderQR<RowMajor<double>> qr(columns);
  RowMajor<double> Q = RowMajor<double>::Identity(m, n);
  Q = qr.householderQ() * Q;
  return Matrix<double>::copy_of(std::sqrt(static_cast<double>(m)) * Q);
}

class Lemma41 : public testing::TestWithParam<Index> {};

TEST_P(Lemma41, ReconstructionOfWhitenedDataIsTheDistanceFromOrthonormality) {
  constexpr Index kLength = 10;
  const Problem problem{
      whitened(400, kLength), support::random_matrix<double>(GetParam(), kLength), {}};
  const RowMajor<double> W = problem.W.view();
  const RowMajor<double> E = W.transpose() * W - RowMajor<double>::Identity(kLength, kLength);
  const double expected = E.squaredNorm();
  const Context context({.threads = 2});
  const double rica =
      evaluate<double>(context, problem, RicaOptions{.n_components = GetParam(), .weight = 0})
          .value;
  EXPECT_LE(relative_error(rica, expected), support::kThroughWhitening);
  const KricaOptions linear = {
      .n_components = GetParam(), .kernel = {.kind = KernelKind::kLinear}, .sparsity = 0};
  EXPECT_LE(relative_error(evaluate<double>(context, problem, linear).value, expected),
            support::kThroughWhitening);
}

INSTANTIATE_TEST_SUITE_P(Components, Lemma41, testing::Values<Index>(1, 5, 10, 25),
                         testing::PrintToStringParamName());

TEST(Properties, AnOrthonormalBasisReconstructsExactly) {
  const Matrix<double> Q = whitened(6, 6);
  Problem problem{support::random_matrix<double>(50, 6), Q, {}};
  problem.W.view() /= std::sqrt(6.0);
  const auto result =
      evaluate<double>(Context(), problem, RicaOptions{.n_components = 6, .weight = 0});
  EXPECT_NEAR(result.value, 0, 1e-25);
  EXPECT_LE(result.gradient.view().norm(), 1e-12);
}

}  // namespace
}  // namespace krica
