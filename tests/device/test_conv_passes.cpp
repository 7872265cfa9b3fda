// SPDX-License-Identifier: BSD-3-Clause
//
// The kernels of convolutional machines and networks, run on the host, against the CPU's code.
#include <gtest/gtest.h>

#include "device/conv_network_pass.hpp"
#include "device/conv_problems.hpp"
#include "device/device_needed.hpp"
#include "device/host_ops.hpp"
#include "features/device_network.hpp"
#include "features/pool_map.hpp"
#include "objectives/conv_device.hpp"
#include "runtime/purpose_hash.hpp"

namespace krica::device {
namespace {

constexpr ConvShape kShape{{9, 12, 2}, 3, 5};

TEST(ConvPasses, DrawsAreThoseOfTheCpu) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{0xFEDCBA9876543210}}) {
    const RandomStreams streams{seed, purpose_hash("some.purpose")};
    for (const std::uint64_t index : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{1} << 40}) {
      Random random(seed, "some.purpose", index);
      for (std::uint64_t draw = 0; draw < 101; ++draw)
        ASSERT_EQ(streams.uniform(index, draw), random.uniform()) << index << ' ' << draw;
    }
  }
}

TEST(ConvPasses, WindowsAreThoseOfTheCpu) {
  const ConvSpec spec = device_shape(kShape).value();
  ASSERT_EQ(spec.units(), kShape.units());
  ASSERT_EQ(spec.window(), kShape.window());
  const Matrix<float> map = support::random_matrix<float>(1, kShape.input.values(), 1);
  Matrix<float> windows(kShape.units(), kShape.window());
  read_windows<float>(kShape, map.data(), {0, kShape.blocks()}, windows);
  for (int unit = 0; unit < spec.units(); ++unit) {
    for (int j = 0; j < spec.window(); ++j)
      ASSERT_EQ(map.data()[window_value(spec, unit, j)], windows(unit, j)) << unit << ' ' << j;
  }
}

TEST(ConvPasses, UnitsAreFoundByTheirPlace) {
  const ConvSpec spec = device_shape(kShape).value();
  std::vector<int> found(static_cast<std::size_t>(spec.units()), 0);
  for (int row = -3; row < 14; ++row) {
    for (int col = -3; col < 14; ++col) {
      const int unit = unit_at(spec, row, col);
      if (unit < 0) continue;
      ASSERT_LT(unit, spec.units());
      ++found[static_cast<std::size_t>(unit)];
      EXPECT_EQ(window_value(spec, unit, 0), row * spec.width + col);
    }
  }
  EXPECT_EQ(found, std::vector<int>(found.size(), 1));
}

TEST(ConvPasses, ReconstructionsAddEveryWindowWhereItWasRead) {
  const ConvSpec spec = device_shape(kShape).value();
  const Matrix<float> windows = support::random_matrix<float>(2 * kShape.units(), kShape.window());
  const std::vector<float> bias = {0.5F, -1};
  std::vector<float> maps(static_cast<std::size_t>(2 * spec.values()));
  HostOps().each(2, spec.values(),
                 Reconstruct{spec, windows.data(), spec.window(), bias.data(), 2, maps.data()});
  for (Index image = 0; image < 2; ++image) {
    std::vector<float> expected(static_cast<std::size_t>(spec.values()), 0.0F);
    add_windows<float>(kShape,
                       ConstMatrixView<float>(windows).rows_between(image * kShape.units(),
                                                                    (image + 1) * kShape.units()),
                       {0, kShape.blocks()}, expected.data());
    for (std::size_t j = 0; j < expected.size(); ++j) {
      EXPECT_NEAR(maps[static_cast<std::size_t>(image) * expected.size() + j],
                  bias[j / static_cast<std::size_t>(spec.pixels())] + 2 * expected[j], 1e-4);
    }
  }
}

TEST(ConvPasses, ProbabilitiesOfLargeInputsAreFinite) {
  const std::vector<float> inputs = {200, -300, 199, 0};
  const BlockStates states = block_states(inputs.data(), 1, 10);
  EXPECT_NEAR(states.unit[0], 1 / (1 + std::exp(-1.0)), 1e-6);
  EXPECT_NEAR(states.unit[2], std::exp(-1.0) / (1 + std::exp(-1.0)), 1e-6);
  EXPECT_EQ(states.unit[1], 0);
  EXPECT_EQ(states.off, 0);
  const std::vector<float> low(4, -500);
  EXPECT_EQ(block_states(low.data(), 1, 0).off, 1);
}

/// ‖gradient - exact‖ / ‖exact‖ of chunks of that many images, and the error of the value.
struct Errors {
  double value = 0;
  double gradient = 0;
};
Errors errors_on_host(const ConvProblem& problem, int bits, int chunk) {
  const ConvShape& shape = problem.options.shape;
  ConvRbmObjective<double> objective(Context(), problem.X, problem.below, problem.options);
  Matrix<double> exact(shape.groups + 1, shape.window() + 1);
  const double value = objective.value_and_gradient(Context(), problem.packed, exact);
  HostOps ops{bits};
  ConvPhases<HostOps> phases(
      ops,
      device_machine(shape, problem.options.visible, objective.moments(), problem.narrow_below)
          .value(),
      chunk);
  phases.start(problem.narrow_packed.data(), {0, purpose_hash("conv_rbm.hidden")});
  const auto images = static_cast<int>(problem.X.rows());
  for (int first = 0; first < images; first += chunk) {
    phases.add({problem.narrow_X.row(first), problem.narrow_X.cols()},
               std::min(chunk, images - first), nullptr, first, true);
  }
  const ConvSums sums = phases.sums(true);
  const ConvRbmObjective<float> narrow(Context(), problem.narrow_X, problem.narrow_below,
                                       problem.options);
  Matrix<float> gradient(exact.rows(), exact.cols());
  MatrixView<float> view(gradient);
  const double found = narrow.finish(sums.squared_error, machine_sums(shape, sums.data),
                                     machine_sums(shape, sums.model), problem.X.rows(), &view);
  return {std::abs(found / value - 1),
          distance(gradient.data(), {exact.data(), exact.data() + exact.size()})};
}

TEST(ConvPasses, ValueAndGradientAreThoseOfTheCpu) {
  for (const ConvProblem& problem : conv_problems()) {
    for (const int chunk : {4, 64}) {
      SCOPED_TRACE(testing::Message() << problem.name << ", " << chunk << " at a time");
      const Errors errors = errors_on_host(problem, 24, chunk);
      EXPECT_LT(errors.value, 1e-5);
      EXPECT_LT(errors.gradient, 1e-4);
    }
  }
}

/// Coarser products may move a probability across its draw: a unit flips.
TEST(ConvPasses, CoarserProductsAreNear) {
  for (const ConvProblem& problem : conv_problems()) {
    SCOPED_TRACE(problem.name);
    const Errors tf32 = errors_on_host(problem, 11, 64);
    const Errors bf16 = errors_on_host(problem, 8, 64);
    EXPECT_LT(tf32.value, kTf32Value);
    EXPECT_LT(tf32.gradient, kTf32Gradient);
    EXPECT_LT(bf16.value, kBf16Value);
    EXPECT_LT(bf16.gradient, kBf16Gradient);
  }
}

TEST(ConvPasses, FeaturesArePooledMaps) {
  const ConvShape first{{14, 13, 2}, 3, 5};
  const ConvShape second{first.pooled(), 2, 4};
  std::vector<ConvLayer<float>> layers;
  for (const ConvShape& shape : {first, second}) {
    layers.emplace_back(shape, support::random_matrix<float>(shape.groups, shape.window(), 3),
                        std::vector<float>(static_cast<std::size_t>(shape.groups), -0.5F));
  }
  const Matrix<float> X = support::random_matrix<float>(3, first.input.values(), 4);
  for (const PoolFunction function :
       {PoolFunction::kSum, PoolFunction::kMean, PoolFunction::kMax}) {
    std::vector<PoolingGrid> grids;
    for (const ConvShape& shape : {first, second}) {
      grids.emplace_back(
          PoolingOptions{
              .levels = PoolLevels::from_text("1x1,2x2"), .function = function, .overlap = true},
          Positions{shape.pooled().height, shape.pooled().width});
    }
    ConvEncoderOptions options = network_options(layers, grids).value();
    options.images = 3;
    ASSERT_EQ(options.features(), 5U * 5U + 5U * 4U);
    HostOps ops;
    std::vector<float> features(3 * options.features(), NAN);
    ConvNetworkPass<HostOps>(ops, options).encode(X.data(), 3, features.data());
    const float* found = features.data();
    for (Index i = 0; i < 3; ++i) {
      for (std::size_t l = 0; l < 2; ++l) {
        const ImageShape map = layers[l].shape().pooled();
        const std::vector<float> above = map_above<float>(std::span(layers).first(l + 1), X.row(i));
        std::vector<float> expected(static_cast<std::size_t>(grids[l].cells() * map.channels));
        pool_map(grids[l], map, above.data(), expected.data());
        for (const float value : expected) EXPECT_NEAR(*found++, value, 2e-5);
      }
    }
  }
}

}  // namespace
}  // namespace krica::device
