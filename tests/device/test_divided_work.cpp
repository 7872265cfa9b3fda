// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that share one GPU divide its work: the bits are those of one process.
#include <gtest/gtest.h>

#include <vector>

#include "classify/device_svm.hpp"
#include "classify/squared_hinge.hpp"
#include "clustering/spherical_kmeans.hpp"
#include "device/device_groups.hpp"
#include "device/device_needed.hpp"
#include "device/evaluation.hpp"
#include "krica/clustering/kmeans.hpp"
#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "objectives/device_twin.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"
#include "support/thread_ranks.hpp"

namespace krica::device {
namespace {

using OnDeviceDivided = OnDevice;
using support::same_bits;

const ContextOptions kGpu = {.threads = 2, .device = "cuda"};

/// compute(context) on several numbers of ranks; same(result, expected) compares.
template <class Compute, class Same>
void expect_same_on_ranks(Compute compute, Same same) {
  const auto expected = compute(Context(kGpu));
  for (const int ranks : {1, 2, 3, 5}) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks");
    on_ranks(ranks, kGpu, [&](const Context& context) {
      EXPECT_TRUE(same(compute(context.with_all_rows()), expected));
    });
  }
}

template <class Options, class Objective>
void compare_objective(const Options& options, const Matrix<float>& X) {
  ASSERT_GE(device_groups(X.rows(), device_work(options, X.cols())).count(), 2);
  const auto W = support::random_matrix<float>(options.n_components, X.cols(), 3);
  expect_same_on_ranks(
      [&](const Context& context) {
        Objective objective(X, options);
        auto result = evaluate<float>(objective, context, {}, W);
        EXPECT_EQ(objective.value(context, W), result.value);
        return result;
      },
      [](const auto& a, const auto& b) { return a == b; });
}

TEST_F(OnDeviceDivided, KricaAndRica) {
  const auto X = support::random_matrix<float>(120000, 24, 1);
  compare_objective<KricaOptions, KricaObjective<float>>(
      {.n_components = 1600, .kernel = {.kind = KernelKind::kGaussian, .gamma = 0.05}}, X);
  const auto many = support::random_matrix<float>(600000, 24, 2);
  compare_objective<RicaOptions, RicaObjective<float>>({.n_components = 800}, many);
}

TEST_F(OnDeviceDivided, Kmeans) {
  const auto X = support::random_matrix<float>(600000, 20, 1);
  const auto start = ConstMatrixView<float>(X).rows_between(0, 400);
  const auto same = [](const auto& a, const auto& b) {
    return same_bits(a.first, b.first) && a.second == b.second;
  };
  expect_same_on_ranks(
      [&](const Context& context) {
        auto result =
            kmeans_from<float>(context, X, start, {.n_clusters = 400, .max_iterations = 3});
        return std::pair(std::move(result.centers), std::move(result.assignment));
      },
      same);
  expect_same_on_ranks(
      [&](const Context& context) {
        auto result =
            spherical_kmeans<float>(context, X, start, {.n_clusters = 400, .max_iterations = 3});
        return std::pair(std::move(result.atoms), std::move(result.assignment));
      },
      same);
}

TEST_F(OnDeviceDivided, Svm) {
  const auto Z = support::random_matrix<float>(3001, 131, 5);
  const auto W = support::random_matrix<float>(4, 132, 6);
  std::vector<int> labels(3001);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int>(i % 4);
  const std::vector<float> weights(labels.size(), 1.0F);
  const auto evaluated = [&](const Context& context, std::int64_t groups) {
    const auto sums = device_svm(context, Z, labels, 4);
    sums->groups = groups;
    SquaredHinge hinge(Z, labels, 4, weights, 0.1, sums.get());
    Evaluation<float> result = {0, Matrix<float>(W.rows(), W.cols())};
    result.value = hinge.value_and_gradient(context, W, result.gradient);
    EXPECT_EQ(hinge.value(context, W), result.value);
    return result;
  };
  expect_same_on_ranks([&](const Context& context) { return evaluated(context, 7); },
                       [](const auto& a, const auto& b) { return a == b; });
  const auto whole = evaluated(Context(kGpu), 1);
  const auto divided = evaluated(Context(kGpu), 7);
  EXPECT_NEAR(divided.value, whole.value, 1e-6 * whole.value);
  EXPECT_LE((divided.gradient.view() - whole.gradient.view()).norm(),
            1e-5F * whole.gradient.view().norm());
}

}  // namespace
}  // namespace krica::device
