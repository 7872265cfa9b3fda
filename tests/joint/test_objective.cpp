// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "joint/problems.hpp"
#include "krica/objectives/krica.hpp"
#include "krica/runtime/error.hpp"
#include "support/gradient_check.hpp"
#include "support/kernels.hpp"
#include "support/tolerances.hpp"

namespace krica {
namespace {

using support::JointProblem;
using support::kSameGradient;

struct Case {
  KernelKind kernel = KernelKind::kGaussian;
  Index grid = 2;
  Index stride = 1;
  MarginLoss loss = MarginLoss::kSquaredHinge;
  double power = 0.5;
  double reconstruction = 0;
  bool overlap = false;
  EncoderKind code = EncoderKind::kKernel;
  std::string_view levels = {};  // empty: of the grid
  PoolFunction function = PoolFunction::kSum;
};

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  const std::string code = c.code == EncoderKind::kKernel
                               ? support::test_name(c.kernel)
                               : support::test_name(std::string(name_of(c.code)));
  return code + "Grid" + std::to_string(c.grid) + "Stride" + std::to_string(c.stride) +
         (c.overlap ? "Overlap" : "") + support::test_name(std::string(name_of(c.loss))) + "Power" +
         std::to_string(static_cast<int>(10 * c.power)) + (c.reconstruction > 0 ? "Krica" : "") +
         (c.levels.empty() ? "" : "Levels") + (c.function == PoolFunction::kMean ? "Mean" : "");
}

class WholeObjective : public testing::TestWithParam<Case> {};

TEST_P(WholeObjective, GradientAgreesWithDifferences) {
  const Case& c = GetParam();
  JointProblem problem;
  problem.kernel.kind = c.kernel;
  problem.code = c.code;
  problem.features = support::features(3, c.stride, c.grid, c.grid, c.overlap, c.power);
  if (!c.levels.empty()) problem.features.pooling.levels = PoolLevels::from_text(c.levels);
  problem.features.pooling.function = c.function;
  const PatchSource source = problem.source();
  const Matrix<float> images = problem.pixels();
  const std::vector<int> labels = problem.labels();
  Matrix<double> patches = support::random_matrix<double>(9, problem.n, 21);
  const std::vector<Index> rows = {0, 3, 4, 8};
  const JointBatch batch{images, labels, rows};
  const auto at = problem.parameters<double>(has_shapes(problem.encoder()));
  const Context context({.threads = 1});
  JointObjective<double> objective({.encoder = problem.encoder(),
                                    .loss = c.loss,
                                    .reconstruction = c.reconstruction,
                                    .sparsity = 0.1},
                                   source, patches);
  JointParameters<double> gradient = at.zeros();
  BatchMoments moments;
  const double value = objective.value_and_gradient(context, batch, at, gradient, moments);
  EXPECT_DOUBLE_EQ(value, objective.value(context, batch, at));
  using Part = Matrix<double> JointParameters<double>::*;
  for (const Part part : {&JointParameters<double>::W, &JointParameters<double>::shapes,
                          &JointParameters<double>::T, &JointParameters<double>::bias}) {
    JointParameters<double> moved = at;
    const auto f = [&](const Matrix<double>& values) {
      moved.*part = values;
      return objective.value(context, batch, moved);
    };
    if ((at.*part).size() == 0) continue;
    const double step =
        c.code == EncoderKind::kKernel ? support::kDifferenceStep : support::kSmallStep;
    EXPECT_LT(support::gradient_error(gradient.*part, f, at.*part, step), kSameGradient);
  }
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const KernelKind kernel :
       {KernelKind::kGaussian, KernelKind::kPolynomial, KernelKind::kInverseSquareDistance}) {
    for (const Index grid : {1, 2, 3}) {
      for (const Index stride : {1, 2}) list.push_back({kernel, grid, stride});
    }
    list.push_back({.kernel = kernel, .loss = MarginLoss::kCrossEntropy, .power = 1});
    list.push_back({.kernel = kernel, .reconstruction = 0.3});
    list.push_back({.kernel = kernel, .overlap = true});
    list.push_back({.kernel = kernel, .levels = "1x1,2x2,3x4"});
    list.push_back({.kernel = kernel, .levels = "3x2,1x1", .function = PoolFunction::kMean});
  }
  list.push_back({.kernel = KernelKind::kInverseDistance});
  list.push_back({.kernel = KernelKind::kHistogramIntersection});
  for (const EncoderKind code : {EncoderKind::kSoftThreshold, EncoderKind::kTriangle,
                                 EncoderKind::kAbs, EncoderKind::kSigmoid})
    list.push_back({.code = code});
  return list;
}
INSTANTIATE_TEST_SUITE_P(Joint, WholeObjective, testing::ValuesIn(cases()), name_of_case);

TEST(JointObjective, WithoutTheClassifierItIsKrica) {
  JointProblem problem;
  const PatchSource source = problem.source();
  const Matrix<float> images = problem.pixels();
  const std::vector<int> labels = problem.labels();
  const Matrix<double> patches = support::random_matrix<double>(9, problem.n, 21);
  const std::vector<Index> rows = {1, 2, 5, 6, 7};
  auto at = problem.parameters<double>(false);
  at.T.set_zero();
  at.bias.set_zero();
  const Context context({.threads = 1});
  JointObjective<double> objective({.encoder = problem.encoder(), .reconstruction = 0.7}, source,
                                   patches);
  JointParameters<double> gradient = at.zeros();
  BatchMoments moments;
  const double value =
      objective.value_and_gradient(context, {images, labels, rows}, at, gradient, moments);
  KricaObjective<double> krica(patches, {.n_components = problem.K, .kernel = problem.kernel});
  Matrix<double> krica_gradient(problem.K, problem.n);
  const double krica_value = krica.value_and_gradient_on(context, rows, at.W, krica_gradient);
  EXPECT_NEAR(value, problem.classes + 0.7 * krica_value, 1e-12) << "every margin is violated by 1";
  krica_gradient.view() *= 0.7;
  EXPECT_LT(support::relative_error(gradient.W, krica_gradient), 1e-12);
}

TEST(JointObjective, ScoresWithTheBatchsMomentsGiveItsLoss) {
  const JointProblem problem;
  const PatchSource source = problem.source();
  const Matrix<float> images = problem.pixels();
  const std::vector<int> labels = problem.labels();
  const auto at = problem.parameters<double>(true);
  const Context context({.threads = 1});
  JointObjective<double> objective({.encoder = problem.encoder()}, source);
  JointParameters<double> gradient = at.zeros();
  BatchMoments moments;
  const double value =
      objective.value_and_gradient(context, {images, labels}, at, gradient, moments);
  Matrix<double> scores = objective.scores(context, images, at, moments);
  EXPECT_NEAR(loss_and_derivative<double>(MarginLoss::kSquaredHinge, labels, scores), value, 1e-12);
}

TEST(JointObjective, SameBitsForAnyThreads) {
  JointProblem problem;
  problem.images = 37;
  problem.K = 70;
  const PatchSource source = problem.source();
  const Matrix<float> images = problem.pixels();
  const std::vector<int> labels = problem.labels();
  const auto at = problem.parameters<float>(true);
  const auto gradient_with = [&](int threads) {
    const Context context({.threads = threads});
    JointObjective<float> objective({.encoder = problem.encoder()}, source);
    JointParameters<float> gradient = at.zeros();
    BatchMoments moments;
    objective.value_and_gradient(context, {images, labels}, at, gradient, moments);
    return gradient;
  };
  const auto one = gradient_with(1);
  for (const int threads : {2, 3, 4}) {
    const auto other = gradient_with(threads);
    EXPECT_TRUE(support::same_bits(one.W, other.W));
    EXPECT_TRUE(support::same_bits(one.shapes, other.shapes));
    EXPECT_TRUE(support::same_bits(one.T, other.T));
  }
}

TEST(JointObjective, FloatFollowsDouble) {
  const JointProblem problem;
  const Context context({.threads = 1});
  const std::vector<int> labels = problem.labels();
  const PatchSource source = problem.source();
  const Matrix<float> images = problem.pixels();
  const auto gradient_in = [&](auto zero) {
    using Scalar = decltype(zero);
    const auto at = problem.parameters<Scalar>(true);
    JointObjective<Scalar> objective({.encoder = problem.encoder()}, source);
    JointParameters<Scalar> gradient = at.zeros();
    BatchMoments moments;
    objective.value_and_gradient(context, {images, labels}, at, gradient, moments);
    return gradient;
  };
  const auto narrow = gradient_in(0.0F);
  const auto wide = gradient_in(0.0);
  EXPECT_LT(support::relative_error(narrow.W, wide.W), support::kFloatAgainstDouble);
  EXPECT_LT(support::relative_error(narrow.shapes, wide.shapes), support::kFloatAgainstDouble);
}

TEST(JointObjective, RefusesMaxPoolingWithTheRemedy) {
  JointProblem problem;
  problem.features.pooling.function = PoolFunction::kMax;
  const PatchSource source = problem.source();
  try {
    const JointObjective<double> objective({.encoder = problem.encoder()}, source);
    FAIL() << "max pooling was taken";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("use pool-function sum or mean"), std::string::npos);
  }
}

TEST(JointObjective, RefusesWhatDoesNotFit) {
  const Context context({.threads = 1});
  JointProblem problem;
  EXPECT_THROW(JointObjective<double>({.reconstruction = 1}, problem.source()), InvalidArgument)
      << "no patches to reconstruct";
  problem.kernel.kind = KernelKind::kPolynomial;
  const PatchSource source = problem.source();
  JointObjective<double> objective({.encoder = problem.encoder()}, source);
  const Matrix<float> images = problem.pixels();
  const auto at = problem.parameters<double>(true);
  const std::vector<int> labels = problem.labels();
  EXPECT_THROW(objective.value(context, {images, labels}, at), InvalidArgument)
      << "only the Gaussian has widths";
  auto other = problem.parameters<double>(false);
  other.T = Matrix<double>(3, 4);
  EXPECT_THROW(objective.value(context, {images, labels}, other), InvalidArgument);
}

}  // namespace
}  // namespace krica
