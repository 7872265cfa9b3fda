// SPDX-License-Identifier: BSD-3-Clause
//
// The twins of kRICA and RICA through the objectives that use them, against these on the CPU.
#include <gtest/gtest.h>

#include <numeric>
#include <type_traits>

#include "device/device_error.hpp"
#include "device/device_needed.hpp"
#include "device/evaluation.hpp"
#include "device/use_device.hpp"
#include "krica/solvers/lbfgs.hpp"
#include "objectives/device_twin.hpp"
#include "support/problems.hpp"

namespace krica::device {
namespace {

using support::ProblemSize;

void expect_near(const Evaluation<float>& got, const Evaluation<double>& exact, bool float32) {
  EXPECT_NEAR(got.value, exact.value, (float32 ? 1e-5 : 2e-2) * std::abs(exact.value));
  const double* gradient = exact.gradient.data();
  EXPECT_LT(distance(got.gradient.data(), {gradient, gradient + exact.gradient.size()}),
            float32 ? 1e-4 : 2e-2);
}

/// All samples, then some of one class alone, in both precisions.
template <class Options>
void compare(const Options& options, ProblemSize size = {.m = 131, .n = 17, .K = 33}) {
  const support::Problem problem = rounded_to_float(support::random_problem(size));
  const auto X = support::cast_to<float>(problem.X);
  const auto W = support::cast_to<float>(problem.W);
  auto exact = support::objective_of<double>(problem.X, options, problem.labels);
  std::vector<Index> some;
  for (Index i = size.m; i-- > 0;) {
    if (problem.labels[static_cast<std::size_t>(i)] == 1) some.push_back(i);
  }
  for (const Precision precision : {Precision::kFloat32, Precision::kTf32}) {
    SCOPED_TRACE(name_of(precision));
    auto objective = support::objective_of<float>(X, options, problem.labels);
    for (const Rows rows : {Rows(), Rows(some)}) {
      const auto got = evaluate<float>(objective, gpu(precision), rows, W);
      expect_near(got, evaluate<double>(exact, Context(), rows, problem.W),
                  precision == Precision::kFloat32);
      EXPECT_TRUE(got == evaluate<float>(objective, gpu(precision), rows, W));
      EXPECT_FALSE(got == evaluate<float>(objective, Context(), rows, W)) << "the CPU computed it";
      const double value =
          rows ? objective.value_on(gpu(precision), *rows, W) : objective.value(gpu(precision), W);
      EXPECT_EQ(value, got.value);
    }
  }
}

KricaOptions krica_options(KernelKind kind = KernelKind::kGaussian) {
  return {.n_components = 33,
          .kernel = {.kind = kind, .gamma = 0.1, .degree = 3, .scale = 0.7},
          .sparsity = 0.1,
          .block_rows = 64};
}
RicaOptions rica_options(Contrast contrast) {
  return {.n_components = 33, .contrast = contrast, .weight = 0.3, .block_rows = 64};
}

TEST(BasisTwins, CheckTheirArgumentsBeforeTheyLookForADevice) {
  const std::vector<float> X(6, 1.0F);
  const TwinSamples samples = {X.data(), 2, 3, 3};
  KricaTwinOptions options = {.common = {.atoms = 1}};
  EXPECT_THROW(make_krica_twin({X.data(), 0, 3, 3}, options), std::invalid_argument);
  EXPECT_THROW(make_krica_twin({X.data(), 2, 0, 3}, options), std::invalid_argument);
  EXPECT_THROW(make_krica_twin(samples, {}), std::invalid_argument);
  EXPECT_THROW(make_rica_twin(samples, {}), std::invalid_argument);
  options.common.classes.atom_class = {0};  // but there are no labels
  EXPECT_THROW(make_krica_twin(samples, options), std::invalid_argument);
  options.common.classes = {};
  options.kernel = {MercerKind::kPolynomial, 1, 1, 2};
  try {
    make_krica_twin(samples, options);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.trouble(), Trouble::kUnsupported) << error.what();
  }
}

TEST(BasisTwins, WithoutADeviceTheObjectiveSaysSo) {
  if (has_device()) return;
  const support::Problem problem = support::random_problem();
  try {
    support::evaluate<float>(gpu(Precision::kTf32), problem, KricaOptions{.n_components = 12});
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.trouble(), Trouble::kNoDevice) << error.what();
  }
  EXPECT_NO_THROW(
      support::evaluate<double>(gpu(Precision::kTf32), problem, KricaOptions{.n_components = 12}));
}

TEST(BasisTwins, SupportKernelsWhoseSlopeTheirValueTells) {
  EXPECT_TRUE(device_supports({.kind = KernelKind::kLinear}));
  EXPECT_TRUE(device_supports({.kind = KernelKind::kGaussian}));
  EXPECT_TRUE(device_supports({.kind = KernelKind::kInverseDistance}));
  EXPECT_TRUE(device_supports({.kind = KernelKind::kInverseSquareDistance}));
  EXPECT_TRUE(device_supports({.kind = KernelKind::kPolynomial, .degree = 3}));
  EXPECT_FALSE(device_supports({.kind = KernelKind::kPolynomial, .degree = 2}));
  EXPECT_FALSE(device_supports({.kind = KernelKind::kHistogramIntersection}));
}

TEST(BasisTwins, HalveTheBlockUntilItFits) {
  const TwinMemory memory = {.fixed = 1000, .per_row = 10};
  EXPECT_EQ(block_rows_that_fit(memory, 1000000, 4096, 100000), 4096);
  EXPECT_EQ(block_rows_that_fit(memory, 1000000, 4096, 1001), 1008);  // filled up
  EXPECT_EQ(block_rows_that_fit(memory, 1000 + 20480, 4096, 100000), 2048);
  EXPECT_EQ(block_rows_that_fit(memory, 1000 + 2560, 4096, 100000), 256);
  EXPECT_THROW(block_rows_that_fit(memory, 1000 + 2559, 4096, 100000), DeviceError);
  EXPECT_EQ(block_rows_that_fit(memory, 1000 + 50, 4096, 5), 8);
}

TEST(BasisTwins, TransposeGroups) {
  const SparseMatrix back = transposed({{0, 2, 2, 3}, {0, 2, 2}, {1, 2, 3}});
  EXPECT_EQ(back.offsets, (std::vector<int>{0, 1, 1, 3}));
  EXPECT_EQ(back.columns, (std::vector<int>{0, 0, 2}));
  EXPECT_EQ(back.values, (std::vector<float>{1, 2, 3}));
}

using OnDeviceBasisTwins = OnDevice;

TEST_F(OnDeviceBasisTwins, EveryKernel) {
  for (const KernelKind kind : {KernelKind::kLinear, KernelKind::kGaussian, KernelKind::kPolynomial,
                                KernelKind::kInverseDistance, KernelKind::kInverseSquareDistance}) {
    SCOPED_TRACE(name_of(kind));
    KricaOptions options = krica_options(kind);
    compare(options);
    options.reconstruction = 0;
    compare(options);
  }
}

TEST_F(OnDeviceBasisTwins, ManyAtomsAndOneBlock) {
  KricaOptions options = krica_options();
  options.n_components = 300;
  options.block_rows = 0;
  compare(options, {.m = 700, .n = 108, .K = 300});
}

TEST_F(OnDeviceBasisTwins, GroupsOfAtoms) {
  std::vector<double> weights(33 * 33);
  for (std::size_t e = 0; e < weights.size(); ++e) weights[e] = static_cast<double>(e % 5) / 4;
  for (const AtomGroups& groups : {AtomGroups::topographic(), AtomGroups::of_size(11),
                                   AtomGroups::of_size(1), AtomGroups::custom(weights)}) {
    SCOPED_TRACE(groups.text());
    KricaOptions krica = krica_options();
    krica.groups = groups;
    compare(krica);
    RicaOptions rica = rica_options(Contrast::kL2Pooling);
    rica.groups = groups;
    rica.sign.assign(33, 1);
    rica.sign[7] = -1;
    compare(rica);
  }
}

TEST_F(OnDeviceBasisTwins, Classes) {
  for (const DiscriminationReading reading :
       {DiscriminationReading::kSum, DiscriminationReading::kSelect}) {
    for (const bool homogeneous : {true, false}) {
      SCOPED_TRACE(testing::Message() << name_of(reading) << ' ' << homogeneous);
      KricaOptions krica = krica_options();
      krica.discrimination = {.weight = 0.2, .reading = reading, .homogeneous = homogeneous};
      compare(krica);
      RicaOptions rica = rica_options(Contrast::kSmoothL1);
      rica.discrimination = krica.discrimination;
      rica.discrimination.elastic = 1.5;
      compare(rica);
    }
  }
}

TEST_F(OnDeviceBasisTwins, EveryContrastAndConvention) {
  for (const Contrast contrast :
       {Contrast::kSmoothL1, Contrast::kLogCosh, Contrast::kMatlabLogCosh, Contrast::kExp}) {
    for (const RowNorm row_norm : {RowNorm::kNone, RowNorm::kSoft, RowNorm::kExact}) {
      SCOPED_TRACE(testing::Message() << name_of(contrast) << ' ' << name_of(row_norm));
      RicaOptions options = rica_options(contrast);
      options.row_norm = row_norm;
      compare(options);
      options.weight_on = WeightOn::kReconstruction;
      options.reduce = Reduce::kSum;
      options.sign.assign(33, -1);
      options.sign[0] = 1;
      compare(options);
    }
  }
}

TEST_F(OnDeviceBasisTwins, Curvature) {
  const support::Problem problem = support::random_problem({.m = 131, .n = 17, .K = 33});
  const auto X = support::cast_to<float>(problem.X);
  const auto W = support::cast_to<float>(problem.W);
  KricaObjective<float> objective(X, krica_options());
  Matrix<float> gradient(33, 17);
  std::vector<double> on_cpu(33);
  std::vector<double> on_gpu(33);
  objective.value_gradient_and_curvature(Context(), W, gradient, on_cpu);
  objective.value_gradient_and_curvature(gpu(Precision::kFloat32), W, gradient, on_gpu);
  const std::vector<float> rounded(on_gpu.begin(), on_gpu.end());
  EXPECT_LT(distance(rounded.data(), on_cpu), 1e-4);
}

/// Ranges of unequal lengths: several blocks, one, and a single sample.
template <class Options, class MakeTwin>
void compare_parts(const Options& options, MakeTwin make_twin) {
  const support::Problem problem =
      rounded_to_float(support::random_problem({.m = 131, .n = 17, .K = 33}));
  const auto X = support::cast_to<float>(problem.X);
  const auto W = support::cast_to<float>(problem.W);
  auto exact = support::objective_of<double>(problem.X, options, problem.labels);
  for (const Products products : {Products::kFloat32, Products::kTf32}) {
    const bool float32 = products == Products::kFloat32;
    SCOPED_TRACE(float32 ? "float32" : "tf32");
    const auto twin =
        make_twin({X.data(), X.rows(), static_cast<int>(X.cols()), X.cols(), problem.labels},
                  twin_options(options, problem.labels, {.products = products, .parts = 3}));
    Evaluation<float> whole = {0, Matrix<float>(33, 17)};
    std::vector<float> curvature(33);
    whole.value = twin->evaluate(W.data(), {}, whole.gradient.data(), curvature.data());
    for (int time = 0; time < 2; ++time) {  // RICA then knows the parts' Gram matrices
      Evaluation<float> sum = {0, Matrix<float>(33, 17)};
      std::vector<float> curvatures(33);
      for (const SampleRange part :
           {SampleRange{0, 80}, SampleRange{80, 50}, SampleRange{130, 1}}) {
        Matrix<float> gradient(33, 17);
        std::vector<float> curved(33);
        const double value = twin->evaluate_part(W.data(), part, gradient.data(), curved.data());
        EXPECT_EQ(twin->evaluate_part(W.data(), part, nullptr), value);
        sum.value += value;
        sum.gradient.view() += gradient.view();
        for (std::size_t u = 0; u < curved.size(); ++u) curvatures[u] += curved[u];
      }
      expect_near(sum, evaluate<double>(exact, Context(), {}, problem.W), float32);
      if constexpr (std::is_same_v<Options, KricaOptions>) {
        EXPECT_LT(distance(curvatures.data(), {curvature.begin(), curvature.end()}),
                  float32 ? 1e-4 : 2e-2);
      }
    }
    Evaluation<float> again = {0, Matrix<float>(33, 17)};
    again.value = twin->evaluate(W.data(), {}, again.gradient.data());
    EXPECT_TRUE(again == whole);
    again.value = twin->evaluate_part(W.data(), {0, 131}, again.gradient.data());
    EXPECT_TRUE(again == whole);
  }
}

TEST_F(OnDeviceBasisTwins, PartsAddUp) {
  use_device(gpu(Precision::kTf32));
  KricaOptions krica = krica_options();
  compare_parts(krica, &make_krica_twin);
  krica.groups = AtomGroups::topographic();
  krica.discrimination = {.weight = 0.2, .reading = DiscriminationReading::kSum};
  compare_parts(krica, &make_krica_twin);
  RicaOptions rica = rica_options(Contrast::kSmoothL1);
  rica.row_norm = RowNorm::kNone;
  for (const Reduce reduce : {Reduce::kMean, Reduce::kSum}) {
    rica.reduce = reduce;
    compare_parts(rica, &make_rica_twin);
    rica.discrimination = krica.discrimination;
  }
}

TEST_F(OnDeviceBasisTwins, WhatDoesNotFitRunsOnTheCpu) {
  const support::Problem problem = support::random_problem({.m = 131, .n = 17, .K = 33});
  const auto X = support::cast_to<float>(problem.X);
  const auto W = support::cast_to<float>(problem.W);
  KricaObjective<float> krica(X, krica_options());
  RicaObjective<float> rica(X, rica_options(Contrast::kSmoothL1));
  const Context tight = gpu(Precision::kTf32, 1);
  EXPECT_TRUE(evaluate<float>(krica, tight, {}, W) == evaluate<float>(krica, Context(), {}, W));
  EXPECT_TRUE(evaluate<float>(rica, tight, {}, W) == evaluate<float>(rica, Context(), {}, W));
}

TEST_F(OnDeviceBasisTwins, LearnAsGoodABasis) {
  const support::Problem problem = support::random_problem({.m = 2000, .n = 20, .K = 40});
  const auto X = support::cast_to<float>(problem.X);
  const auto W = support::cast_to<float>(problem.W);
  KricaOptions options = krica_options();
  options.n_components = 40;
  options.block_rows = 0;
  const auto learned = [&](const Context& context) {
    KricaObjective<float> objective(X, options);
    const auto result = Lbfgs<float>({.max_iterations = 10}).minimize(context, objective, W);
    EXPECT_TRUE(result.succeeded());
    return objective.value(Context(), result.best);
  };
  const double on_cpu = learned(Context());
  EXPECT_NEAR(learned(gpu(Precision::kFloat32)), on_cpu, 1e-3 * on_cpu);
  EXPECT_NEAR(learned(gpu(Precision::kTf32)), on_cpu, 1e-2 * on_cpu);
}

}  // namespace
}  // namespace krica::device
