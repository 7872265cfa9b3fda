// SPDX-License-Identifier: BSD-3-Clause
//
// The engine of a GPU against that of the CPU.
#include <gtest/gtest.h>

#include <numeric>

#include "device/device_memory.hpp"
#include "device/device_needed.hpp"
#include "device/image_store.hpp"
#include "joint/engine_problem.hpp"
#include "joint/image_batch.hpp"
#include "krica/runtime/error.hpp"
#include "support/comparison.hpp"

namespace krica {
namespace {

using support::EngineProblem;
using support::EngineShape;
using support::relative_error;
using OnDeviceJoint = device::OnDevice;

Context on_device(Precision precision = Precision::kFloat32, std::int64_t memory = 0) {
  return Context({.threads = 1,
                  .seed = 3,
                  .device = "cuda",
                  .precision = precision,
                  .device_memory_bytes = memory});
}

std::vector<Index> some_images(const EngineProblem& problem, Index count, std::uint64_t draw) {
  Random random(9, "tests.engine", draw);
  std::vector<Index> order = random_permutation(random, problem.images.size());
  order.resize(static_cast<std::size_t>(count));
  return order;
}

struct Run {
  JointState state;
  std::vector<double> losses;
};

Run run_steps(const EngineProblem& problem, JointEngine& engine, int steps) {
  Run run{problem.state(), {}};
  engine.load(run.state);
  for (int i = 0; i < steps; ++i) {
    const auto chosen = some_images(problem, problem.shape.batch, static_cast<std::uint64_t>(i));
    const auto loss = engine.step(
        {.images = chosen, .epoch = static_cast<std::uint64_t>(i), .rates = {0.003, 0.002, 0.1}},
        run.state);
    run.losses.push_back(loss.value_or(NAN));
  }
  engine.store(run.state);
  return run;
}

using Part = Matrix<float> JointParameters<float>::*;
constexpr std::array<std::pair<Part, const char*>, 4> kParts = {{
    {&JointParameters<float>::W, "W"},
    {&JointParameters<float>::shapes, "shapes"},
    {&JointParameters<float>::T, "T"},
    {&JointParameters<float>::bias, "bias"},
}};

void expect_close(const JointParameters<float>& got, const JointParameters<float>& expected,
                  double limit) {
  for (const auto& [part, name] : kParts)
    EXPECT_LE(relative_error(got.*part, expected.*part), limit) << name;
}

void expect_same_bits(const JointState& a, const JointState& b) {
  for (const auto& [part, name] : kParts) {
    EXPECT_TRUE(support::same_bits(a.now.*part, b.now.*part)) << name;
    EXPECT_TRUE(support::same_bits(a.first.*part, b.first.*part)) << name;
    EXPECT_TRUE(support::same_bits(a.second.*part, b.second.*part)) << name;
  }
}

/// After one step from moments of 0, the first moment is a tenth of the gradient.
void compare_a_step(const EngineProblem& problem, const ImageSet& images, Precision precision,
                    double limit) {
  const Context host({.threads = 1, .seed = 3});
  const Context device = on_device(precision);
  const auto expected =
      run_steps(problem, *make_host_engine(problem.task(host), problem.state()), 1);
  const auto engine = make_device_engine(problem.task(device, images), problem.state());
  ASSERT_NE(engine, nullptr);
  const auto got = run_steps(problem, *engine, 1);
  EXPECT_EQ(got.state.step, 1);
  EXPECT_LE(relative_error(got.losses[0], expected.losses[0]), 0.1 * limit);
  expect_close(got.state.first, expected.state.first, limit);
  expect_same_bits(got.state, run_steps(problem, *engine, 1).state);
}

struct Case {
  const char* name;
  EngineShape shape;
  double slack = 1;  ///< where the gradient is a small difference
};
class OnDeviceJointCases : public device::OnDevice, public testing::WithParamInterface<Case> {};

TEST_P(OnDeviceJointCases, AStepIsThatOfTheCpu) {
  const EngineProblem problem(GetParam().shape);
  const double slack = GetParam().slack;
  compare_a_step(problem, problem.images, Precision::kFloat32, 1e-4 * slack);
  compare_a_step(problem, problem.images, Precision::kTf32, 3e-2 * slack);
  compare_a_step(problem, problem.images, Precision::kBf16, 0.2 * slack);
}

/// Adam takes the sign of a gradient that is nearly 0, so single values may differ.
TEST_P(OnDeviceJointCases, FiveStepsEndWhereThoseOfTheCpuDo) {
  const EngineProblem problem(GetParam().shape);
  const Context host({.threads = 1, .seed = 3});
  const Context device = on_device();
  const auto expected =
      run_steps(problem, *make_host_engine(problem.task(host), problem.state()), 5);
  const auto got =
      run_steps(problem, *make_device_engine(problem.task(device), problem.state()), 5);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_LE(relative_error(got.losses[i], expected.losses[i]), 1e-3) << i;
  expect_close(got.state.now, expected.state.now, 1e-3);
}

TEST_P(OnDeviceJointCases, MomentsAndScoresAreThoseOfTheCpu) {
  const EngineProblem problem(GetParam().shape);
  const Context host({.threads = 1, .seed = 3});
  const Context device = on_device();
  const JointState state = problem.state();
  const auto expected = make_host_engine(problem.task(host), state);
  const auto engine = make_device_engine(problem.task(device), state);
  const auto chosen = some_images(problem, problem.images.size() - 1, 7);
  const BatchMoments moments = expected->moments_of(state.now, chosen);
  const BatchMoments got = engine->moments_of(state.now, chosen);
  for (std::size_t j = 0; j < moments.mean.size(); ++j) {
    EXPECT_NEAR(got.mean[j], moments.mean[j], 1e-5 * (1 + std::abs(moments.mean[j])));
    EXPECT_NEAR(got.variance[j], moments.variance[j], 1e-4 * (1e-3 + moments.variance[j]));
  }
  EXPECT_LE(relative_error(engine->scores(state.now, moments, chosen),
                           expected->scores(state.now, moments, chosen)),
            1e-4);
  // What was evaluated has not touched what is trained.
  expect_same_bits(run_steps(problem, *engine, 2).state,
                   run_steps(problem, *make_device_engine(problem.task(device), state), 2).state);
}

INSTANTIATE_TEST_SUITE_P(
    OnDevice, OnDeviceJointCases,
    testing::Values(
        Case{"Gaussian", {}}, Case{"GaussianLinear", {.power = 1}},
        Case{"SoftThreshold", {.code = EncoderKind::kSoftThreshold}},
        Case{"SoftThresholdLinear",
             {.code = EncoderKind::kSoftThreshold, .power = 1, .classes = 5}},
        Case{"LinearWithAPower", {.code = EncoderKind::kLinear, .power = 0.7}},
        Case{"CrossEntropy", {.loss = MarginLoss::kCrossEntropy, .classes = 10}},
        Case{"ManyClasses", {.classes = 17, .images = 60, .batch = 33}},
        Case{"MoreClasses",
             {.loss = MarginLoss::kCrossEntropy, .classes = 40, .images = 90, .batch = 67}},
        Case{"OddSizes",
             {.atoms = 33,
              .grid = 3,
              .overlap = true,
              .image = {13, 17, 3},
              .images = 140,
              .batch = 131}},
        Case{"TwoImages", {.batch = 2}, 5}, Case{"OneAtom", {.atoms = 1, .grid = 1}}),
    [](const auto& tested) { return tested.param.name; });

TEST_F(OnDeviceJoint, FloatImagesGiveTheStepOfBytes) {
  const EngineProblem problem;
  compare_a_step(problem, support::FloatImages(problem.images), Precision::kFloat32, 1e-4);
}

TEST_F(OnDeviceJoint, GatheredImagesAreTheAugmentedOnes) {
  const EngineProblem problem({.image = {7, 9, 3}});
  const ImageShape shape = problem.images.shape();
  const Context context({.seed = 5});
  const auto chosen = some_images(problem, 31, 1);
  const Matrix<float> expected =
      read_batch(context, problem.images, chosen, {.flips = true, .crops = 6}, 2);
  std::vector<device::ImagePick> picks;
  for (const Index i : chosen) {
    const Alteration a = alteration_of(context, problem.images, i, {.flips = true, .crops = 6}, 2);
    picks.push_back({static_cast<int>(i), a.mirrored ? 1 : 0, static_cast<int>(a.down),
                     static_cast<int>(a.right)});
  }
  const auto all = static_cast<std::size_t>(problem.images.size());
  const auto values = static_cast<std::size_t>(shape.values());
  std::vector<std::uint8_t> bytes(all * values);
  std::vector<float> floats(all * values);
  problem.images.read(0, problem.images.size(), bytes.data());
  problem.images.read(0, problem.images.size(), floats.data());
  for (const bool as_floats : {false, true}) {
    const auto store = device::make_image_store({3, 7, 9, as_floats}, all);
    store->put(0, all, as_floats ? static_cast<const void*>(floats.data()) : bytes.data());
    const device::Pixels pixels = store->gather(picks);
    std::vector<float> got(picks.size() * values);
    if (as_floats) {
      device::copy(got.data(), pixels.floats, got.size() * sizeof(float));
    } else {
      std::vector<std::uint8_t> got_bytes(got.size());
      device::copy(got_bytes.data(), pixels.bytes, got.size());
      std::copy(got_bytes.begin(), got_bytes.end(), got.begin());
    }
    EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.data())) << as_floats;
  }
}

/// Images stay on the host, and codes take a few images at a time.
TEST_F(OnDeviceJoint, LittleMemoryGivesTheSameStep) {
  const EngineProblem problem({.atoms = 20, .image = {48, 48, 3}, .images = 200, .batch = 150});
  const Context plenty = on_device();
  const Context little = on_device(Precision::kFloat32, std::int64_t{22} << 20);
  const auto expected =
      run_steps(problem, *make_device_engine(problem.task(plenty), problem.state()), 1);
  const auto got =
      run_steps(problem, *make_device_engine(problem.task(little), problem.state()), 1);
  EXPECT_LE(relative_error(got.losses[0], expected.losses[0]), 1e-6);
  expect_close(got.state.first, expected.state.first, 1e-5);
  const Context none = on_device(Precision::kFloat32, 1000);
  try {
    make_device_engine(problem.task(none), problem.state());
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.trouble(), DeviceError::Trouble::kOutOfMemory);
    EXPECT_NE(std::string(error.what()).find("20 atoms and batches of 150 images"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(OnDeviceJoint, WhatItCannotDoRunsOnTheCpu) {
  EngineProblem problem;
  problem.options.objective.reconstruction = 0.1;
  const Context context = on_device();
  EXPECT_EQ(make_device_engine(problem.task(context), problem.state()), nullptr);
  const EngineProblem triangle({.code = EncoderKind::kTriangle});
  EXPECT_EQ(make_device_engine(triangle.task(context), triangle.state()), nullptr);
}

TEST_F(OnDeviceJoint, ALossThatIsNotFiniteChangesNothing) {
  const EngineProblem problem;
  const Context context = on_device();
  JointState state = problem.state();
  state.now.T(0, 0) = std::numeric_limits<float>::infinity();
  const JointState before = state;
  const auto engine = make_device_engine(problem.task(context), state);
  const std::vector<Index> chosen = {0, 1, 2};
  EXPECT_EQ(engine->step({.images = chosen, .rates = {0.1, 0.1, 0}}, state), std::nullopt);
  EXPECT_EQ(state.step, 0);
  engine->store(state);
  expect_same_bits(state, before);
}

/// A whole training: its checkpoints, a cancellation, and the same bits after each.
TEST_F(OnDeviceJoint, ResumesToTheSameBitsFromAnyStep) {
  const EngineProblem problem({.images = 60});
  JointOptions options = problem.options;
  options.epochs = 2;
  JointStart start;
  start.atoms = problem.state().now.W;
  const auto train = [&](const Context& context, const JointHooks& hooks, const Archive* state) {
    return train_jointly(context, problem.images, problem.preprocessing, start, options,
                         {nullptr, 0, 0}, hooks, state);
  };
  const auto equal = [](const JointResult& a, const JointResult& b) {
    return support::same_bits(a.atoms, b.atoms) && a.shapes == b.shapes &&
           a.classifier->weights() == b.classifier->weights() &&
           a.held_out_accuracy == b.held_out_accuracy;
  };
  std::vector<Archive> states;
  JointHooks hooks;
  hooks.checkpoint_due = [] { return true; };
  hooks.checkpoint = [&](const Archive& state) { states.push_back(state); };
  const JointResult whole = train(on_device(), hooks, nullptr);
  ASSERT_TRUE(whole.classifier.has_value());
  EXPECT_LT(whole.history.back().training_value, whole.history.front().training_value);
  ASSERT_EQ(states.size(), 6U) << "2 epochs of 3 steps";
  for (const Archive& state : states) EXPECT_TRUE(equal(whole, train(on_device(), {}, &state)));

  std::function<void()> stop;
  const Context cancelled({.threads = 1,
                           .seed = 3,
                           .progress =
                               [&](const Progress& progress) {
                                 if (progress.step == 2) stop();
                               },
                           .device = "cuda",
                           .precision = Precision::kFloat32});
  stop = [&] { cancelled.cancel(); };
  EXPECT_THROW(train(cancelled, hooks, nullptr), Cancelled);
  EXPECT_TRUE(equal(whole, train(on_device(), {}, &states.back())));
}

}  // namespace
}  // namespace krica
