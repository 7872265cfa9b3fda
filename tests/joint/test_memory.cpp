// SPDX-License-Identifier: BSD-3-Clause
//
// One step at K = 1600 holds at most 64 MiB beside parameters, batch and optimiser.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "joint/problems.hpp"
#include "support/peak_memory.hpp"

namespace krica {
namespace {

struct Step {
  Index grid;
  double reconstruction;
};

class JointMemory : public testing::TestWithParam<Step> {};

TEST_P(JointMemory, OneStepHoldsAtMost64Mebibytes) {
  if (!support::can_measure_memory()) GTEST_SKIP() << "no /proc, or a sanitizer's own memory";
  constexpr Index kAtoms = 1600;
  const Index side = GetParam().grid;
  JointParameters<float> at;
  at.W = support::random_matrix<float>(kAtoms, 108, 1);
  at.W.view() *= 0.1F;
  at.shapes = Matrix<float>(1, kAtoms);
  at.T = support::random_matrix<float>(10, side * side * kAtoms, 2);
  at.bias = Matrix<float>(1, 10);
  JointParameters<float> gradient = at.zeros();
  std::vector<int> labels;
  for (int i = 0; i < 128; ++i) labels.push_back(i % 10);
  const PatchSource source(support::features(6, 6, side, side, false, 0.5), {32, 32, 3},
                           support::no_preprocessing(108));
  Matrix<float> images = support::random_matrix<float>(128, 32 * 32 * 3, 4);
  images.view() *= 0.1F;
  const Matrix<float> reconstructed = support::random_matrix<float>(2000, 108, 3);
  std::vector<Index> chosen;
  for (Index i = 0; i < 1024; ++i) chosen.push_back(i);
  const Context context({.threads = 4});
  const support::PeakMemory peak;
  JointObjective<float> objective(
      {.encoder = {.kernel = {.gamma = 3}}, .reconstruction = GetParam().reconstruction}, source,
      reconstructed);
  BatchMoments moments;
  const double value =
      objective.value_and_gradient(context, {images, labels, chosen}, at, gradient, moments);
  EXPECT_LE(peak.bytes(), std::int64_t{64} << 20);
  EXPECT_TRUE(std::isfinite(value));
  EXPECT_GT(gradient.W.view().norm(), 0);
}

INSTANTIATE_TEST_SUITE_P(Joint, JointMemory,
                         testing::Values(Step{2, 0}, Step{4, 0}, Step{2, 0.1}, Step{4, 0.1}),
                         [](const auto& step) {
                           return fmt::format(
                               "Grid{}{}", step.param.grid,
                               step.param.reconstruction > 0 ? "Reconstructing" : "");
                         });

}  // namespace
}  // namespace krica
