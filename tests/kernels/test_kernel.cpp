// SPDX-License-Identifier: BSD-3-Clause
//
// Single kernel values and derivatives, parameters and names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "krica/kernels/kernel.hpp"
#include "support/comparison.hpp"
#include "support/gradient_check.hpp"
#include "support/kernels.hpp"
#include "support/problems.hpp"
#include "support/reference.hpp"
#include "support/tolerances.hpp"

namespace krica {
namespace {

using support::kAllKernels;
using support::kernel_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class EveryKernel : public testing::TestWithParam<KernelKind> {
 protected:
  const Kernel kernel_ = kernel_of(GetParam());
  const support::Problem problem_ = support::random_problem();
};

TEST_P(EveryKernel, ValueIsItsFormula) {
  const auto& [X, W, labels] = problem_;
  for (Index i = 0; i < X.rows(); ++i) {
    for (Index u = 0; u < W.rows(); ++u) {
      const double expected = reference::kernel(kernel_, W.row(u), X.row(i), X.cols());
      const double value = kernel_value(kernel_, W.row(u), X.row(i), X.cols());
      EXPECT_LE(support::relative_error(value, expected), support::kKernelValue);
    }
  }
}

TEST_P(EveryKernel, IsSymmetric) {
  const double* a = problem_.X.row(0);
  const double* b = problem_.X.row(1);
  EXPECT_DOUBLE_EQ(kernel_value(kernel_, a, b, 5), kernel_value(kernel_, b, a, 5));
}

TEST_P(EveryKernel, DerivativeIsItsFormula) {
  const auto& [X, W, labels] = problem_;
  for (Index i = 0; i < X.rows(); ++i) {
    const auto expected = reference::kernel_derivative(kernel_, W.row(0), X.row(i), X.cols());
    std::vector<double> derivative(expected.size());
    kernel_derivative(kernel_, W.row(0), X.row(i), X.cols(), derivative.data());
    for (std::size_t j = 0; j < expected.size(); ++j)
      EXPECT_LE(support::relative_error(derivative[j], expected[j]), support::kKernelValue);
  }
}

TEST_P(EveryKernel, DerivativeIsTheCentralDifference) {
  const Index n = problem_.W.cols();
  Matrix<double> w(1, n);
  std::copy_n(problem_.W.row(0), n, w.data());
  for (Index i = 0; i < problem_.X.rows(); ++i) {
    const double* x = problem_.X.row(i);
    Matrix<double> derivative(1, n);
    kernel_derivative(kernel_, w.data(), x, n, derivative.data());
    const auto value = [&](const Matrix<double>& at) {
      return reference::kernel(kernel_, at.data(), x, n);
    };
    EXPECT_LE(support::gradient_error(derivative, value, w), support::kSameGradient);
  }
}

TEST_P(EveryKernel, FloatVectorsGiveTheValueOfTheirEntries) {
  const Matrix<float> X = support::cast_to<float>(problem_.X);
  const Matrix<double> exact = support::cast_to<double>(X);
  const double value = kernel_value(kernel_, X.row(0), X.row(1), X.cols());
  const double expected = reference::kernel(kernel_, exact.row(0), exact.row(1), X.cols());
  EXPECT_LE(support::relative_error(value, expected), support::kKernelValue);
}

TEST_P(EveryKernel, NameMakesTheRoundTrip) {
  EXPECT_EQ(kernel_kind(name_of(GetParam())), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Kernel, EveryKernel, testing::ValuesIn(kAllKernels),
                         [](const auto& test) { return support::test_name(test.param); });

TEST(Kernel, ValuesByHand) {
  const std::vector<double> w = {1, 2};
  const std::vector<double> x = {3, -1};  // w·x = 1, ‖w - x‖² = 13
  const auto value = [&](Kernel kernel) { return kernel_value(kernel, w.data(), x.data(), 2); };
  EXPECT_DOUBLE_EQ(value({.kind = KernelKind::kLinear}), 1);
  EXPECT_DOUBLE_EQ(value({.kind = KernelKind::kGaussian, .gamma = std::log(2.0)}), 1.0 / 8192);
  EXPECT_DOUBLE_EQ(value({.kind = KernelKind::kPolynomial, .degree = 4}), 16);
  EXPECT_DOUBLE_EQ(value({.kind = KernelKind::kInverseDistance, .scale = 2}),
                   1 / (1 + 2 * std::sqrt(13 + 1e-8)));
  EXPECT_DOUBLE_EQ(value({.kind = KernelKind::kInverseSquareDistance, .scale = 2}), 1.0 / 27);
  EXPECT_DOUBLE_EQ(value({.kind = KernelKind::kHistogramIntersection, .scale = std::log(2.0)}),
                   2 + 0.5);
}

TEST(Kernel, OfAVectorWithItself) {
  const std::vector<double> x = {0.3, -2, 5};
  const auto self = [&](KernelKind kind) {
    return kernel_value({.kind = kind, .gamma = 3, .scale = 4}, x.data(), x.data(), 3);
  };
  EXPECT_EQ(self(KernelKind::kGaussian), 1);
  EXPECT_EQ(self(KernelKind::kInverseSquareDistance), 1);
  EXPECT_DOUBLE_EQ(self(KernelKind::kInverseDistance), 1 / (1 + 4e-4));
}

TEST(Kernel, InverseDistanceHasNoSlopeAtItsPeak) {
  const std::vector<double> x = {0.3, -2, 5};
  std::vector<double> derivative(3, 1.0);
  kernel_derivative({.kind = KernelKind::kInverseDistance}, x.data(), x.data(), 3,
                    derivative.data());
  EXPECT_THAT(derivative, testing::Each(0.0));
}

TEST(HistogramIntersection, TakesHalfTheSlopeAtEquality) {
  const Kernel kernel = {.kind = KernelKind::kHistogramIntersection, .scale = 1.5};
  const std::vector<double> w = {0.2, 0.4, 0.6};
  const std::vector<double> x = {0.3, 0.4, 0.5};
  std::vector<double> derivative(3);
  kernel_derivative(kernel, w.data(), x.data(), 3, derivative.data());
  EXPECT_DOUBLE_EQ(derivative[0], 1.5 * std::exp(1.5 * 0.2));
  EXPECT_DOUBLE_EQ(derivative[1], 0.5 * 1.5 * std::exp(1.5 * 0.4));
  EXPECT_EQ(derivative[2], 0);
}

TEST(HistogramIntersection, SelfKernelMovesWithTwiceTheHalf) {
  // κ(w, w) depends on w through both arguments: dκ(w,w)/dw = b exp(bw).
  const Kernel kernel = {.kind = KernelKind::kHistogramIntersection, .scale = 1.5};
  const Matrix<double> w = support::random_matrix<double>(1, 4);
  Matrix<double> derivative(1, 4);
  kernel_derivative(kernel, w.data(), w.data(), 4, derivative.data());
  derivative.view() *= 2;
  const auto self = [&](const Matrix<double>& at) {
    return reference::kernel(kernel, at.data(), at.data(), 4);
  };
  EXPECT_LE(support::gradient_error(derivative, self, w), support::kSameGradient);
  for (Index j = 0; j < 4; ++j) EXPECT_DOUBLE_EQ(derivative(0, j), 1.5 * std::exp(1.5 * w(0, j)));
}

struct BadKernel {
  std::string name;
  Kernel kernel;
  std::string fault;
};

class BadKernels : public testing::TestWithParam<BadKernel> {};

TEST_P(BadKernels, AreRefusedWithTheirValue) {
  EXPECT_THAT(support::refusal([&] { GetParam().kernel.validate(); }),
              AllOf(StartsWith("[kernel]"), HasSubstr(GetParam().fault)));
}

using enum KernelKind;
INSTANTIATE_TEST_SUITE_P(
    Kernel, BadKernels,
    testing::ValuesIn(std::vector<BadKernel>{
        {"GammaZero", {.kind = kGaussian, .gamma = 0}, "gamma must be finite and > 0, got 0"},
        {"GammaNegative", {.kind = kGaussian, .gamma = -2}, "gamma must be finite and > 0, got -2"},
        {"GammaNan", {.kind = kGaussian, .gamma = kNan}, "got nan"},
        {"GammaInf", {.kind = kGaussian, .gamma = kInf}, "got inf"},
        {"DegreeZero", {.kind = kPolynomial, .degree = 0}, "degree must be 1 to 32, got 0"},
        {"DegreeNegative", {.kind = kPolynomial, .degree = -3}, "got -3"},
        {"DegreeHuge", {.kind = kPolynomial, .degree = 33}, "got 33"},
        {"ScaleZero", {.kind = kInverseDistance, .scale = 0}, "scale must be finite and > 0"},
        {"ScaleNegative", {.kind = kInverseSquareDistance, .scale = -1}, "got -1"},
        {"ScaleNan", {.kind = kHistogramIntersection, .scale = kNan}, "got nan"},
        {"ScaleInf", {.kind = kInverseDistance, .scale = kInf}, "got inf"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(Kernel, IgnoresParametersThatItsKindDoesNotUse) {
  const Kernel nonsense = {.kind = kLinear, .gamma = kNan, .degree = 0, .scale = -1};
  EXPECT_NO_THROW(nonsense.validate());
  Kernel gaussian = nonsense;
  gaussian.kind = kGaussian;
  gaussian.gamma = 1;
  EXPECT_NO_THROW(gaussian.validate());
}

TEST(Kernel, NamesAreThoseOfTheCommandLine) {
  EXPECT_EQ(name_of(kLinear), "linear");
  EXPECT_EQ(name_of(kGaussian), "gaussian");
  EXPECT_EQ(name_of(kPolynomial), "polynomial");
  EXPECT_EQ(name_of(kInverseDistance), "inverse-distance");
  EXPECT_EQ(name_of(kInverseSquareDistance), "inverse-square-distance");
  EXPECT_EQ(name_of(kHistogramIntersection), "histogram-intersection");
}

TEST(Kernel, UnknownNamesAreRefusedWithTheKnownOnes) {
  EXPECT_THAT(support::refusal([] { (void)kernel_kind("gausian"); }),
              AllOf(StartsWith("[kernel]"), HasSubstr("'gausian'"), HasSubstr("gaussian")));
  EXPECT_THROW((void)kernel_kind(""), InvalidArgument);
  EXPECT_THROW((void)kernel_kind("Linear"), InvalidArgument);
}

}  // namespace
}  // namespace krica
