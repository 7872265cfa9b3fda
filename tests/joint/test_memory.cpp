// SPDX-License-Identifier: BSD-3-Clause
//
// One step at K = 1600 holds at most 64 MiB beside parameters, batch and optimiser.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "joint/problems.hpp"
#include "support/peak_memory.hpp"

namespace krica {
namespace {

/// Patches that are made when they are asked for, so that they take no memory here.
class MadePatches final : public PatchTiles<float> {
 public:
  [[nodiscard]] Index images() const override { return 128; }
  void read(Index image, Index first, MatrixView<float> patches) const override {
    for (Index i = 0; i < patches.rows(); ++i) {
      for (Index j = 0; j < patches.cols(); ++j) {
        const Index seed = image * 7919 + (first + i) * 104729 + j * 1299709;
        patches(i, j) = static_cast<float>(seed % 1000) / 6000 - 0.08F;
      }
    }
  }
};

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
  const MadePatches patches;
  const Matrix<float> reconstructed = support::random_matrix<float>(2000, 108, 3);
  std::vector<Index> chosen;
  for (Index i = 0; i < 1024; ++i) chosen.push_back(i);
  const Context context({.threads = 4});
  const support::PeakMemory peak;
  JointObjective<float> objective(context,
                                  {.encoder = {.kernel = {.gamma = 3}},
                                   .features = {6, 6, side, side, false, 0.5},
                                   .reconstruction = GetParam().reconstruction},
                                  {32, 32, 3}, reconstructed);
  BatchMoments moments;
  const double value =
      objective.value_and_gradient({patches, labels, chosen}, at, gradient, moments);
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
