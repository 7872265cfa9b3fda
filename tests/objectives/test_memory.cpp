// SPDX-License-Identifier: BSD-3-Clause
//
// One evaluation at full size holds at most 1 GiB beside the data: m = 200,000 patches of 108
// values, K = 1600 atoms, where all codes together would take 1.2 GiB.
#include <gtest/gtest.h>

#include "krica/objectives/krica.hpp"
#include "support/peak_memory.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

TEST(Memory, OneEvaluationHoldsAtMostOneGibibyte) {
  if (!support::can_measure_memory()) GTEST_SKIP() << "no /proc, or a sanitizer's own memory";
  constexpr Index kSamples = 200000;
  constexpr Index kLength = 108;
  constexpr Index kAtoms = 1600;
  Matrix<float> X(kSamples, kLength);
  Random random(1, "tests.memory");
  for (Index e = 0; e < X.size(); ++e) X.data()[e] = static_cast<float>(random.uniform() - 0.5) / 3;
  const Matrix<float> W =
      Matrix<float>::copy_of(X.view().topRows(kAtoms) + X.view().bottomRows(kAtoms));
  Matrix<float> gradient(kAtoms, kLength);
  const support::PeakMemory peak;
  const Context context;
  KricaObjective<float> objective(X, {.n_components = kAtoms, .kernel = {.gamma = 3}});
  const double value = objective.value_and_gradient(context, W, gradient);
  EXPECT_LE(peak.bytes(), std::int64_t{1} << 30);
  EXPECT_TRUE(std::isfinite(value));
  EXPECT_GT(gradient.view().norm(), 0);
}

}  // namespace
}  // namespace krica
