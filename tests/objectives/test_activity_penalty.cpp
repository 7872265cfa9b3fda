// SPDX-License-Identifier: BSD-3-Clause
//
// The penalty of mean activities, and the sigmoid layers where their units are saturated.
#include <gtest/gtest.h>

#include "objectives/activity_penalty.hpp"
#include "objectives/sparse_autoencoder.hpp"
#include "objectives/sparse_rbm.hpp"
#include "support/problems.hpp"

namespace krica {
namespace {

constexpr double kTarget = 0.05;

TEST(ActivityPenalty, IsTheDivergenceAndItsSlope) {
  for (const double q : {1e-4, 0.05, 0.5, 0.999}) {
    const double divergence =
        kTarget * std::log(kTarget / q) + (1 - kTarget) * std::log((1 - kTarget) / (1 - q));
    EXPECT_DOUBLE_EQ(activity_penalty(kTarget, q).value, divergence) << q;
    const double h = 1e-6 * std::min(q, 1 - q);
    const double difference =
        (activity_penalty(kTarget, q + h).value - activity_penalty(kTarget, q - h).value) / (2 * h);
    EXPECT_NEAR(activity_penalty(kTarget, q).slope, difference, 1e-4 * (1 + std::abs(difference)));
  }
}

TEST(ActivityPenalty, GoesOnStraightTowardsZeroAndOne) {
  for (const double end : {0.0, 1.0}) {
    const double near = end == 0.0 ? 5e-9 : 1 - 5e-9;
    const ActivityPenalty at_end = activity_penalty(kTarget, end);
    const ActivityPenalty at_near = activity_penalty(kTarget, near);
    ASSERT_TRUE(std::isfinite(at_end.value) && std::isfinite(at_end.slope)) << end;
    EXPECT_EQ(at_end.slope, at_near.slope);
    EXPECT_NEAR(at_end.value - at_near.value, at_end.slope * (end - near), 1e-9);
    EXPECT_GT(at_end.value, at_near.value) << "the end is the worst";
  }
}

/// Units that are 0 or 1 for every sample.
template <class Make, class Options>
void expect_finite_where_saturated(Options options, Make make) {
  const Context context;
  const Matrix<float> X = support::random_matrix<float>(50, 5, 1);
  Matrix<float> packed(4, 6);
  packed(0, 5) = 200;
  packed(1, 5) = -200;
  options.n_components = 3;
  for (const double weight : {0.0, 3.0}) {
    options.sparsity = weight;
    auto objective = make(context, X, options);
    Matrix<float> gradient(4, 6);
    EXPECT_TRUE(std::isfinite(objective.value_and_gradient(context, packed, gradient))) << weight;
    EXPECT_TRUE(gradient.view().allFinite()) << weight;
  }
}

TEST(ActivityPenalty, SaturatedUnitsLeaveTheObjectivesFinite) {
  expect_finite_where_saturated(SparseAutoencoderOptions{},
                                [](const Context&, const auto& X, const auto& options) {
                                  return SparseAutoencoderObjective<float>(X, options);
                                });
  expect_finite_where_saturated(SparseRbmOptions{},
                                [](const Context& context, const auto& X, const auto& options) {
                                  return SparseRbmObjective<float>(context, X, options);
                                });
}

}  // namespace
}  // namespace krica
