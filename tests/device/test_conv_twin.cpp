// SPDX-License-Identifier: BSD-3-Clause
//
// Convolutional machines and networks on a GPU, through what uses them, against the CPU.
#include <gtest/gtest.h>

#include "bases/conv_dbn.hpp"
#include "device/conv_encoder.hpp"
#include "device/conv_problems.hpp"
#include "device/device_error.hpp"
#include "device/device_needed.hpp"
#include "device/evaluation.hpp"
#include "features/conv_network.hpp"
#include "objectives/conv_device.hpp"
#include "support/images.hpp"

namespace krica::device {
namespace {

ConvRbmObjective<float> narrow(const ConvProblem& problem) {
  return {Context(), problem.narrow_X, problem.narrow_below, problem.options};
}

double gradient_error(const Evaluation<float>& got, const Evaluation<double>& exact) {
  const double* gradient = exact.gradient.data();
  return distance(got.gradient.data(), {gradient, gradient + exact.gradient.size()});
}

TEST(ConvTwin, ChecksItsArgumentsBeforeItLooksForADevice) {
  const std::vector<float> X(2 * 84, 1.0F);
  const TwinSamples images = {X.data(), 2, 84, 84};
  const ConvTwinOptions fine = {.machine = {.shape = {2, 6, 7, 2, 3}, .mean = {0, 0}}};
  const auto refuses = [&](const TwinSamples& on, auto change) {
    ConvTwinOptions options = fine;
    change(options);
    EXPECT_THROW(make_conv_twin(on, options), std::invalid_argument);
  };
  EXPECT_NO_THROW(require_usable(images, fine));
  refuses({X.data(), 0, 84, 84}, [](auto&) {});
  refuses({X.data(), 2, 83, 84}, [](auto&) {});
  refuses(images, [](auto& o) { o.machine.shape.field = 6; });
  refuses(images, [](auto& o) { o.machine.shape.groups = 0; });
  refuses(images, [](auto& o) { o.machine.mean = {0}; });
  refuses(images, [](auto& o) { o.machine.variance = 0; });
  refuses(images, [](auto& o) { o.images_at_a_time = -1; });
  refuses(images, [](auto& o) { o.machine.below = {{{2, 6, 7, 3, 2}, nullptr, nullptr}}; });
}

TEST(ConvEncoder, ChecksItsArgumentsBeforeItLooksForADevice) {
  const ConvLayerSpec layer = {{2, 6, 7, 2, 3}, nullptr, nullptr};  // 2 × 3 blocks
  const auto refuses = [&](const ConvEncoderOptions& options) {
    EXPECT_THROW(make_conv_encoder(options), std::invalid_argument);
  };
  EXPECT_NO_THROW(require_usable({.layers = {layer}, .cells = {{{{0, 5}}}}}));
  refuses({});
  refuses({.layers = {layer}});
  refuses({.layers = {layer}, .cells = {{{{0, 6}}}}});
  refuses({.layers = {layer}, .cells = {{{{-1}}}}});
  refuses({.layers = {layer}, .cells = {{{{}}}}});
  refuses({.layers = {layer}, .cells = {{{{0}}}}, .images = 0});
  refuses({.layers = {layer, layer}, .cells = {{{{0}}}, {{{0}}}}});
}

TEST(ConvTwin, WithoutADeviceTheObjectiveSaysSo) {
  if (has_device()) return;
  const ConvProblem problem = conv_problems().front();
  ConvRbmObjective<float> objective = narrow(problem);
  try {
    evaluate<float>(objective, gpu(Precision::kTf32), {}, problem.narrow_packed);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.trouble(), Trouble::kNoDevice) << error.what();
  }
  ConvRbmObjective<double> wide(Context(), problem.X, {}, problem.options);
  EXPECT_NO_THROW(evaluate<double>(wide, gpu(Precision::kTf32), {}, problem.packed));
}

TEST(ConvTwin, TakesAsManyImagesAtATimeAsFit) {
  const std::vector<float> X(1);
  const TwinSamples images = {X.data(), 10000, 84, 84};
  ConvTwinOptions options = {.machine = {.shape = {2, 6, 7, 2, 3}, .mean = {0, 0}}};
  const std::vector<ConvSpec> shapes = {options.machine.shape};
  const std::size_t each = conv_bytes(shapes) + 84 * sizeof(float);
  EXPECT_EQ(conv_bytes(shapes), (24 * 8 + 24 * 8 + 18) * sizeof(float));
  EXPECT_EQ(conv_images_that_fit(images, options, {}), 4096);
  options.images_at_a_time = 16;
  EXPECT_EQ(conv_images_that_fit(images, options, {}), 16);
  options.images_at_a_time = 0;
  options.memory_bytes = std::size_t{1} << 20;
  const int some = conv_images_that_fit(images, options, {});
  EXPECT_GE(some, 8);
  EXPECT_LT(some, 1024);
  EXPECT_LE(static_cast<std::size_t>(some) * each, options.memory_bytes);
  options.memory_bytes = 1000;
  EXPECT_THROW(conv_images_that_fit(images, options, {}), DeviceError);
}

TEST(ConvTwin, HugeMapsAreTheCpus) {
  EXPECT_TRUE(device_shape({{32, 32, 3}, 6, 32}).has_value());
  EXPECT_FALSE(device_shape({{60000, 60000, 3}, 6, 32}).has_value());
}

using OnDeviceConvTwin = OnDevice;

TEST_F(OnDeviceConvTwin, ValueAndGradientAreThoseOfTheCpu) {
  const std::vector<Index> some = {4, 0, 3};
  bool differs = false;
  for (const ConvProblem& problem : conv_problems()) {
    ConvRbmObjective<double> exact(Context(), problem.X, problem.below, problem.options);
    ConvRbmObjective<float> objective = narrow(problem);
    for (const Rows rows : {Rows(), Rows(some)}) {
      SCOPED_TRACE(testing::Message() << problem.name << (rows ? ", a batch" : ""));
      const auto expected = evaluate<double>(exact, Context(), rows, problem.packed);
      const Context context = gpu(Precision::kFloat32);
      const auto got = evaluate<float>(objective, context, rows, problem.narrow_packed);
      EXPECT_NEAR(got.value, expected.value, 1e-5 * std::abs(expected.value));
      EXPECT_LT(gradient_error(got, expected), 1e-4);
      EXPECT_TRUE(got == evaluate<float>(objective, context, rows, problem.narrow_packed));
      differs |= !(got == evaluate<float>(objective, Context(), rows, problem.narrow_packed));
      EXPECT_EQ(rows ? objective.value_on(context, *rows, problem.narrow_packed)
                     : objective.value(context, problem.narrow_packed),
                got.value);
    }
  }
  EXPECT_TRUE(differs) << "the CPU computed it";
}

TEST_F(OnDeviceConvTwin, CoarserProductsAreNear) {
  for (const ConvProblem& problem : conv_problems()) {
    SCOPED_TRACE(problem.name);
    ConvRbmObjective<double> exact(Context(), problem.X, problem.below, problem.options);
    ConvRbmObjective<float> objective = narrow(problem);
    const auto expected = evaluate<double>(exact, Context(), {}, problem.packed);
    const auto tf32 = evaluate<float>(objective, gpu(Precision::kTf32), {}, problem.narrow_packed);
    const auto bf16 = evaluate<float>(objective, gpu(Precision::kBf16), {}, problem.narrow_packed);
    EXPECT_NEAR(tf32.value, expected.value, kTf32Value * std::abs(expected.value));
    EXPECT_LT(gradient_error(tf32, expected), kTf32Gradient);
    EXPECT_NEAR(bf16.value, expected.value, kBf16Value * std::abs(expected.value));
    EXPECT_LT(gradient_error(bf16, expected), kBf16Gradient);
    EXPECT_TRUE(tf32 ==
                evaluate<float>(objective, gpu(Precision::kTf32), {}, problem.narrow_packed));
  }
}

TEST_F(OnDeviceConvTwin, DrawsDependOnTheSeed) {
  const ConvProblem problem = conv_problems()[1];
  ConvRbmObjective<double> exact(Context(), problem.X, {}, problem.options);
  ConvRbmObjective<float> objective = narrow(problem);
  const auto first =
      evaluate<float>(objective, gpu(Precision::kFloat32), {}, problem.narrow_packed);
  const auto other =
      evaluate<float>(objective, gpu(Precision::kFloat32, 0, 7), {}, problem.narrow_packed);
  EXPECT_NE(first.value, other.value);
  const auto expected = evaluate<double>(exact, Context({.seed = 7}), {}, problem.packed);
  EXPECT_LT(gradient_error(other, expected), 1e-4);
}

TEST_F(OnDeviceConvTwin, ChunksGiveTheSameSums) {
  const ConvProblem problem = conv_problem("many", {.shape = {{10, 9, 2}, 3, 6}}, 50, 8);
  ConvRbmObjective<float> objective = narrow(problem);
  const auto machine = device_machine(problem.options.shape, VisibleUnits::kGaussian,
                                      objective.moments(), problem.narrow_below);
  const TwinSamples images = {problem.narrow_X.data(), 50, 180, 180};
  const auto sums = [&](int at_a_time) {
    const auto twin = make_conv_twin(images, {.machine = machine.value(),
                                              .products = Products::kFloat32,
                                              .images_at_a_time = at_a_time});
    return twin->evaluate(problem.narrow_packed.data(), {0, 1}, {}, true);
  };
  const ConvSums all = sums(0);
  const ConvSums parts = sums(8);
  EXPECT_NEAR(parts.squared_error, all.squared_error, 1e-5 * all.squared_error);
  const auto near = [](const auto& a, const auto& b, double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << i;
  };
  near(parts.data.activity, all.data.activity, 1e-2);
  near(parts.model.activity, all.model.activity, 1e-2);
  near(parts.data.visible, all.data.visible, 1e-6);
  near(parts.model.visible, all.model.visible, 1e-1);
  near(parts.data.products, all.data.products, 2e-2);
  near(parts.model.products, all.model.products, 2e-1);
}

TEST_F(OnDeviceConvTwin, WhatDoesNotFitRunsOnTheCpu) {
  const ConvProblem problem = conv_problems()[1];
  ConvRbmObjective<float> objective = narrow(problem);
  const Context tight = gpu(Precision::kTf32, 1);
  EXPECT_TRUE(evaluate<float>(objective, tight, {}, problem.narrow_packed) ==
              evaluate<float>(objective, Context(), {}, problem.narrow_packed));
}

TEST_F(OnDeviceConvTwin, LearnsAsGoodALayer) {
  const ConvShape shape{{12, 12, 1}, 4, 8};
  const Matrix<float> X = support::random_matrix<float>(200, shape.input.values(), 9);
  BasisRequest request{.patches = X, .labels = {}, .options = {}, .hooks = {}};
  request.options.sparsity = 0.1;
  request.options.epochs = 3;
  request.options.batch = 20;
  const auto last = [&](const Context& context) {
    const Basis basis = learn_conv_layer(context, request, {}, shape);
    EXPECT_EQ(basis.bias.size(), 8U);
    return basis.history.back().value;
  };
  const double on_cpu = last(Context());
  EXPECT_NEAR(last(gpu(Precision::kFloat32)), on_cpu, 1e-2 * std::abs(on_cpu));
  EXPECT_NEAR(last(gpu(Precision::kTf32)), on_cpu, 5e-2 * std::abs(on_cpu));
}

ConvNetwork network(const ImageSet& images, PoolFunction function, double power = 1,
                    bool unit_length = false) {
  const ConvShape first{images.shape(), 3, 12};
  const ConvShape second{first.pooled(), 2, 9};
  std::vector<ConvLayer<float>> layers;
  for (const ConvShape& shape : {first, second}) {
    Matrix<float> weights = support::random_matrix<float>(shape.groups, shape.window(), 3);
    weights.view() *= 0.5F;
    layers.emplace_back(shape, std::move(weights),
                        std::vector<float>(static_cast<std::size_t>(shape.groups), -0.5F));
  }
  return {images.shape(),
          ImageWhitening::fit(Context(), images, {}),
          std::move(layers),
          {.pooling = {.levels = PoolLevels::from_text("1x1,2x2"),
                       .function = function,
                       .power = power},
           .unit_length = unit_length}};
}

double difference(const FeatureMatrix& a, const FeatureMatrix& b) {
  return static_cast<double>((a.view() - b.view()).norm() / b.view().norm());
}

TEST_F(OnDeviceConvTwin, FeaturesAreThoseOfTheCpu) {
  const auto images = support::gratings(37, 3, {14, 13, 2});
  for (const PoolFunction function :
       {PoolFunction::kSum, PoolFunction::kMean, PoolFunction::kMax}) {
    SCOPED_TRACE(static_cast<int>(function));
    for (const ConvNetwork& net :
         {network(images, function), network(images, function, 0.5, true)}) {
      const FeatureMatrix expected = net.extract(Context(), images);
      const auto on_gpu = [&](Precision precision) { return net.extract(gpu(precision), images); };
      const FeatureMatrix exact = on_gpu(Precision::kFloat32);
      EXPECT_LE(difference(exact, expected), 1e-4);
      EXPECT_FALSE(exact.view() == expected.view()) << "the CPU computed it";
      EXPECT_LE(difference(on_gpu(Precision::kTf32), expected), 1e-2);
      EXPECT_LE(difference(on_gpu(Precision::kBf16), expected), 5e-2);
      EXPECT_EQ(on_gpu(Precision::kTf32).view(), on_gpu(Precision::kTf32).view());
    }
  }
}

TEST_F(OnDeviceConvTwin, FeaturesInLittleMemory) {
  const auto images = support::gratings(37, 3, {14, 13, 2});
  const ConvNetwork net = network(images, PoolFunction::kSum);
  const FeatureMatrix expected = net.extract(Context(), images);
  EXPECT_LE(difference(net.extract(gpu(Precision::kFloat32, 1 << 17), images), expected), 1e-4);
  EXPECT_TRUE(net.extract(gpu(Precision::kFloat32, 1), images).view() == expected.view())
      << "not even one image fits: the CPU's";
}

TEST_F(OnDeviceConvTwin, FeaturesFromAnyImageOn) {
  const auto images = support::gratings(40, 3, {14, 13, 2});
  const ConvNetwork net = network(images, PoolFunction::kSum);
  const Context context = gpu(Precision::kTf32, 1 << 18);
  const FeatureMatrix all = net.extract(context, images);
  FeatureMatrix rest(Context(), 40, net.features());
  net.extract(context, images, 25, rest, [](Index) {});
  EXPECT_TRUE(rest.view().bottomRows(15) == all.view().bottomRows(15));
}

}  // namespace
}  // namespace krica::device
