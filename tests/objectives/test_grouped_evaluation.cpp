// SPDX-License-Identifier: BSD-3-Clause
//
// How ranks with GPUs divide an evaluation: with kRICA on the CPU in place of a GPU's part.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

#include "device/device_groups.hpp"
#include "device/on_all_ranks.hpp"
#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "krica/runtime/error.hpp"
#include "objectives/device_twin.hpp"
#include "objectives/grouped_evaluation.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"
#include "support/thread_ranks.hpp"

namespace krica {
namespace {

using device::device_groups;
using device::DeviceWork;
using support::same_bits;
using Trouble = DeviceError::Trouble;

constexpr Index kSamples = 333;
constexpr Index kAtoms = 12;
constexpr Index kValues = 7;
constexpr DeviceWork kMuch = {.per_sample = 1e12};  // so that there are 16 groups

const support::Problem& problem() {
  static const support::Problem shared =
      support::random_problem({.m = kSamples, .n = kValues, .K = kAtoms});
  return shared;
}
const Matrix<float>& samples() {
  static const Matrix<float> X = Matrix<float>::copy_of(problem().X.view().cast<float>());
  return X;
}
const Matrix<float>& atoms() {
  static const Matrix<float> W = Matrix<float>::copy_of(problem().W.view().cast<float>());
  return W;
}
KricaOptions krica_options() {
  return {.n_components = kAtoms,
          .kernel = {.kind = KernelKind::kGaussian, .gamma = 0.1},
          .groups = AtomGroups::topographic()};
}

struct Result {
  double value = 0;
  Matrix<float> gradient = Matrix<float>(kAtoms, kValues);
  std::vector<double> curvature = std::vector<double>(kAtoms);
};

/// What a range of the samples adds to f, as BasisTwin::evaluate_part().
double evaluate_part(Range part, float* gradient, float* curvature) {
  KricaObjective<float> objective(
      ConstMatrixView<float>(samples()).rows_between(part.begin, part.end), krica_options());
  const double weight = static_cast<double>(part.size()) / static_cast<double>(kSamples);
  if (gradient == nullptr) return weight * objective.value(Context({.threads = 1}), atoms());
  Result own;
  own.value = objective.value_gradient_and_curvature(Context({.threads = 1}), atoms(), own.gradient,
                                                     own.curvature);
  for (Index e = 0; e < own.gradient.size(); ++e)
    gradient[e] = static_cast<float>(weight) * own.gradient.data()[e];
  for (std::size_t u = 0; curvature != nullptr && u < own.curvature.size(); ++u)
    curvature[u] = static_cast<float>(weight * own.curvature[u]);
  return weight * own.value;
}

Result evaluated(const Context& context, const Partition& groups) {
  Result result;
  GroupSums<float> sums;
  MatrixView<float> gradient(result.gradient);
  for (int time = 0; time < 2; ++time) {  // memory is used again
    result.value =
        evaluate_in_groups(context, groups, sums, &gradient, result.curvature, &evaluate_part);
  }
  EXPECT_TRUE(same_bits(evaluate_in_groups(context, groups, sums, nullptr, {}, &evaluate_part),
                        result.value));
  Matrix<float> alone(kAtoms, kValues);
  MatrixView<float> without_curvature(alone);
  evaluate_in_groups(context, groups, sums, &without_curvature, {}, &evaluate_part);
  EXPECT_TRUE(same_bits(alone, result.gradient));
  return result;
}

const ContextOptions kGpu = {.threads = 1, .device = "cuda"};

TEST(GroupedEvaluation, HasTheSameBitsOnAnyNumberOfRanks) {
  const Partition groups = device_groups(kSamples, kMuch);
  ASSERT_EQ(groups.count(), 16);
  const Result expected = evaluated(Context(kGpu), groups);
  for (const int ranks : {1, 2, 3, 4, 5, 17}) {
    on_ranks(ranks, kGpu, [&](const Context& context) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks");
      const Result result = evaluated(context.with_all_rows(), groups);
      EXPECT_TRUE(same_bits(result.value, expected.value));
      EXPECT_TRUE(same_bits(result.gradient, expected.gradient));
      EXPECT_EQ(result.curvature, expected.curvature);
    });
  }
}

TEST(GroupedEvaluation, AgreesWithTheUndividedOne) {
  const Result whole = evaluated(Context(kGpu), Partition(kSamples, kSamples));
  const Result divided = evaluated(Context(kGpu), device_groups(kSamples, kMuch));
  EXPECT_NEAR(divided.value, whole.value, 1e-6 * std::abs(whole.value));
  const float largest = whole.gradient.view().cwiseAbs().maxCoeff();
  EXPECT_LT((divided.gradient.view() - whole.gradient.view()).cwiseAbs().maxCoeff(),
            1e-5F * largest);
  for (std::size_t u = 0; u < whole.curvature.size(); ++u)
    EXPECT_NEAR(divided.curvature[u], whole.curvature[u], 1e-5 * std::abs(whole.curvature[u]));
}

TEST(GroupedEvaluation, EachGroupIsEvaluatedByOneRank) {
  const Partition groups = device_groups(kSamples, kMuch);
  std::atomic<Index> seen = 0;
  on_ranks(3, kGpu, [&](const Context& context) {
    GroupSums<float> sums;
    evaluate_in_groups(context.with_all_rows(), groups, sums, nullptr, {},
                       [&](Range part, float*, float*) {
                         seen += part.size();
                         return 0.0;
                       });
  });
  EXPECT_EQ(seen, kSamples);
}

TEST(GroupedEvaluation, AnErrorOfOneRankEndsAll) {
  const Partition groups = device_groups(kSamples, kMuch);
  std::atomic<int> failed = 0;
  on_ranks(3, kGpu, [&](const Context& context) {
    GroupSums<float> sums;
    Matrix<float> gradient(kAtoms, kValues);
    MatrixView<float> view(gradient);
    try {
      evaluate_in_groups(context.with_all_rows(), groups, sums, &view, {},
                         [&](Range part, float* to, float* curvature) {
                           if (context.ranks()->rank() == 1)
                             throw DeviceError(Trouble::kOutOfMemory, "no memory");
                           return evaluate_part(part, to, curvature);
                         });
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.trouble(), Trouble::kOutOfMemory);
      EXPECT_STREQ(error.what(), "no memory");
      ++failed;
    }
  });
  EXPECT_EQ(failed, 3);
}

TEST(GroupedEvaluation, GroupsHaveEnoughWork) {
  const auto groups = [](Index m, Index K, Index n) {
    return device_groups(m, device_work(KricaOptions{.n_components = K}, n)).count();
  };
  EXPECT_EQ(groups(400000, 1600, 108), 8);
  EXPECT_EQ(groups(400000, 4000, 108), 16);
  EXPECT_EQ(groups(10000000, 16000, 108), 16);
  EXPECT_EQ(groups(100000, 400, 108), 1);
  EXPECT_EQ(groups(1, 16000, 108), 1);
  EXPECT_EQ(groups(1024, 16000, 108), 1);  // every group would have the Gram matrix to compute
  const DeviceWork rica = device_work(RicaOptions{.n_components = 1600}, 108);
  EXPECT_EQ(device_groups(400000, rica).count(), 1);
  EXPECT_EQ(device_groups(1000000, rica).count(), 4);
  EXPECT_EQ(device_groups(4000000, rica).count(), 16);
}

TEST(OnAllRanks, ATwinIsMadeOnAllOrNone) {
  on_ranks(3, kGpu, [&](const Context& given) {
    const Context context = given.with_all_rows();
    const int rank = context.ranks()->rank();
    const auto made = [&](int failing, Trouble trouble) {
      return device::made_on_all_ranks<int>(context, [&] {
        if (rank == failing) throw DeviceError(trouble, "trouble");
        return std::make_unique<int>(rank);
      });
    };
    const std::unique_ptr<int> everywhere = made(-1, Trouble::kFailed);
    ASSERT_NE(everywhere, nullptr);
    EXPECT_EQ(*everywhere, rank);
    EXPECT_EQ(made(2, Trouble::kOutOfMemory), nullptr);
    EXPECT_THROW(made(1, Trouble::kFailed), DeviceError);
    EXPECT_EQ(device::smallest_on_ranks(context, [&] { return 7U - static_cast<unsigned>(rank); }),
              5U);
  });
}

}  // namespace
}  // namespace krica
