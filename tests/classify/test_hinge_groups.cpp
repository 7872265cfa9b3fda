// SPDX-License-Identifier: BSD-3-Clause
//
// How ranks with GPUs divide the SVM's sums: with the CPU in place of the GPU.
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "classify/squared_hinge.hpp"
#include "device/hinge_sums.hpp"
#include "krica/runtime/error.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"
#include "support/thread_ranks.hpp"

namespace krica {
namespace {

using support::same_bits;

constexpr Index kRows = 203;
constexpr Index kFeatures = 6;
constexpr int kClasses = 3;

const Matrix<float>& features() {
  static const auto Z = support::random_matrix<float>(kRows, kFeatures, 1);
  return Z;
}
std::vector<int> labels() {
  std::vector<int> result;
  for (Index i = 0; i < kRows; ++i) result.push_back(static_cast<int>(i % kClasses));
  return result;
}

class OnHost final : public device::HingeSums {
 public:
  explicit OnHost(std::int64_t count) { groups = count; }

  double evaluate(device::SampleRange range, std::span<const float> weights, const float* W,
                  float* gradient) override {
    if (fails) throw DeviceError(DeviceError::Trouble::kFailed, "failed");
    seen += range.count;
    double loss = 0;
    if (gradient != nullptr) std::fill_n(gradient, kClasses * (kFeatures + 1), 0.0F);
    for (Index i = range.first; i < range.first + range.count; ++i) {
      for (Index c = 0; c < kClasses; ++c) {
        const float* w = W + c * (kFeatures + 1);
        float score = w[kFeatures];
        for (Index j = 0; j < kFeatures; ++j) score += w[j] * features()(i, j);
        const float y = i % kClasses == c ? 1.0F : -1.0F;
        const float margin = std::max(0.0F, 1 - y * score);
        const float weight = weights[static_cast<std::size_t>(i - range.first)];
        loss += static_cast<double>(weight * margin * margin);
        if (gradient == nullptr) continue;
        float* to = gradient + c * (kFeatures + 1);
        const float slope = -2 * weight * y * margin;
        for (Index j = 0; j < kFeatures; ++j) to[j] += slope * features()(i, j);
        to[kFeatures] += slope;
      }
    }
    return loss;
  }
  void gram(int, int, int, int, float, float*) override {}

  Index seen = 0;
  bool fails = false;
};

struct Result {
  double value = 0;
  Matrix<float> gradient = Matrix<float>(kClasses, kFeatures + 1);
};

Result evaluated(const Context& context, OnHost* sums) {
  const std::vector<int> of_samples = labels();
  std::vector<float> weights(kRows, 1.0F);
  weights[5] = 0;
  weights[150] = 2;
  SquaredHinge hinge(features(), of_samples, kClasses, weights, 0.1, sums);
  const auto W = support::random_matrix<float>(kClasses, kFeatures + 1, 2);
  Result result;
  result.value = hinge.value_and_gradient(context, W, result.gradient);
  return result;
}

TEST(HingeGroups, HaveTheSameBitsOnAnyNumberOfRanks) {
  OnHost alone(8);
  const Result expected = evaluated(Context(), &alone);
  const Result on_cpu = evaluated(Context(), nullptr);
  EXPECT_NEAR(expected.value, on_cpu.value, 1e-6 * on_cpu.value);
  EXPECT_LE((expected.gradient.view() - on_cpu.gradient.view()).norm(),
            1e-5F * on_cpu.gradient.view().norm());
  for (const int ranks : {1, 2, 3, 5, 9}) {
    std::atomic<Index> seen = 0;
    on_ranks(ranks, {.threads = 1}, [&](const Context& context) {
      OnHost sums(8);
      const Result result = evaluated(context.with_all_rows(), &sums);
      EXPECT_TRUE(same_bits(result.value, expected.value));
      EXPECT_TRUE(same_bits(result.gradient, expected.gradient));
      seen += sums.seen;
    });
    EXPECT_EQ(seen, kRows);
  }
}

TEST(HingeGroups, OneGroupIsComputedByEveryRank) {
  OnHost alone(1);
  const Result expected = evaluated(Context(), &alone);
  on_ranks(3, {.threads = 1}, [&](const Context& context) {
    OnHost sums(1);
    EXPECT_TRUE(same_bits(evaluated(context.with_all_rows(), &sums).gradient, expected.gradient));
    EXPECT_EQ(sums.seen, kRows);
  });
}

TEST(HingeGroups, AnErrorOfOneRankEndsAll) {
  std::atomic<int> failed = 0;
  on_ranks(3, {.threads = 1}, [&](const Context& context) {
    OnHost sums(8);
    sums.fails = context.ranks()->rank() == 2;
    EXPECT_THROW(evaluated(context.with_all_rows(), &sums), DeviceError);
    ++failed;
  });
  EXPECT_EQ(failed, 3);
}

}  // namespace
}  // namespace krica
