// SPDX-License-Identifier: BSD-3-Clause
//
// Several ranks share an evaluation's samples: the bits are those of one process, and a rank reads
// only the samples of its groups.
#include <gtest/gtest.h>

#include <vector>

#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "objectives/group_sums.hpp"
#include "objectives/ksr.hpp"
#include "objectives/sparse_autoencoder.hpp"
#include "objectives/sparse_filtering.hpp"
#include "objectives/sparse_rbm.hpp"
#include "support/comparison.hpp"
#include "support/problems.hpp"
#include "support/terms.hpp"
#include "support/thread_ranks.hpp"

namespace krica {
namespace {

using support::Problem;
using support::same_bits;

constexpr Index kSamples = 1700;
constexpr Index kAtoms = 210;

const Problem& problem() {
  static const Problem shared = support::random_problem({.m = kSamples, .n = 20, .K = kAtoms});
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

struct Result {
  double value;
  Matrix<float> gradient;
};

Result evaluated(const Context& context, SampledObjective<float>& objective,
                 const Matrix<float>& W) {
  Result result{0, Matrix<float>(W.rows(), W.cols())};
  result.value = objective.value_and_gradient(context, W, result.gradient);
  EXPECT_TRUE(same_bits(objective.value(context, W), result.value));
  return result;
}

/// make(X): the objective.
template <class Make>
void expect_same_on_ranks(Make make, const Matrix<float>& W) {
  auto alone = make(samples());
  const Result expected = evaluated(Context({.threads = 2}), *alone, W);
  for (const int ranks : {2, 3, 4, 5, 11}) {
    on_ranks(ranks, {.threads = 1}, [&](const Context& context) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks");
      auto objective = make(samples());
      const Result result = evaluated(context.with_all_rows(), *objective, W);
      EXPECT_TRUE(same_bits(result.value, expected.value));
      EXPECT_TRUE(same_bits(result.gradient, expected.gradient));
    });
  }
}

KricaOptions krica_options(KernelKind kind) {
  return {.n_components = kAtoms,
          .kernel = {.kind = kind, .gamma = 0.1, .degree = 2, .scale = 0.1},
          .groups = AtomGroups::topographic(),
          .discrimination = support::discrimination_of(support::ClassTerm::kSum, 0.01)};
}

class SharedKrica : public testing::TestWithParam<KernelKind> {};

TEST_P(SharedKrica, HasTheBitsOfOneProcess) {
  for (const Index block_rows : {0, 600}) {
    KricaOptions options = krica_options(GetParam());
    options.block_rows = block_rows;
    expect_same_on_ranks(
        [&](const Matrix<float>& X) {
          return std::make_unique<KricaObjective<float>>(X, options, problem().labels);
        },
        atoms());
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, SharedKrica,
                         testing::Values(KernelKind::kGaussian, KernelKind::kPolynomial,
                                         KernelKind::kHistogramIntersection));

TEST(SharedSamples, OtherObjectivesHaveTheBitsOfOneProcess) {
  expect_same_on_ranks(
      [](const Matrix<float>& X) {
        return std::make_unique<RicaObjective<float>>(X, RicaOptions{.n_components = kAtoms});
      },
      atoms());
  expect_same_on_ranks(
      [](const Matrix<float>& X) {
        return std::make_unique<SparseFilteringObjective<float>>(X, kAtoms);
      },
      atoms());
  Matrix<float> packed(kAtoms + 1, samples().cols() + 1);
  for (Index e = 0; e < packed.size(); ++e)
    packed.data()[e] = atoms().data()[e % atoms().size()] / 10;
  expect_same_on_ranks(
      [](const Matrix<float>& X) {
        return std::make_unique<SparseAutoencoderObjective<float>>(
            X, SparseAutoencoderOptions{.n_components = kAtoms});
      },
      packed);
  expect_same_on_ranks(
      [](const Matrix<float>& X) {
        return std::make_unique<SparseRbmObjective<float>>(
            Context(), X, SparseRbmOptions{.n_components = kAtoms});
      },
      packed);
}

TEST(SharedSamples, CurvaturesHaveTheBitsOfOneProcess) {
  const KricaOptions options = krica_options(KernelKind::kGaussian);
  const auto curvature_in = [&](const Context& context) {
    KricaObjective<float> objective(samples(), options, problem().labels);
    Matrix<float> gradient(kAtoms, samples().cols());
    std::vector<double> curvature(kAtoms);
    objective.value_gradient_and_curvature(context, atoms(), gradient, curvature);
    return curvature;
  };
  const std::vector<double> expected = curvature_in(Context({.threads = 2}));
  on_ranks(3, {.threads = 1}, [&](const Context& context) {
    EXPECT_EQ(curvature_in(context.with_all_rows()), expected);
  });
}

TEST(SharedSamples, ARankReadsOnlyTheSamplesOfItsGroups) {
  constexpr Index kBlock = 850;  // two blocks
  KricaOptions options = krica_options(KernelKind::kGaussian);
  options.block_rows = kBlock;
  KricaObjective<float> alone(samples(), options, problem().labels);
  const Result expected = evaluated(Context({.threads = 2}), alone, atoms());
  const SampleGroups groups(kSamples, kBlock, kAtoms);
  ASSERT_GE(groups.count(), 3);
  on_ranks(3, {.threads = 1}, [&](const Context& context) {
    Matrix<float> own(kSamples, samples().cols());  // zeros in all other rows
    const Partition parts = groups.parts(kBlock);
    const Range mine = groups.own_parts(context, parts);
    ASSERT_LT(mine.size(), parts.count());
    for (const Index block : {Index{0}, kBlock}) {
      for (Index part = mine.begin; part < mine.end; ++part) {
        const Range rows = {block + parts[part].begin, block + parts[part].end};
        own.view().middleRows(rows.begin, rows.size()) =
            samples().view().middleRows(rows.begin, rows.size());
      }
    }
    KricaObjective<float> objective(own, options, problem().labels);
    const Result result = evaluated(context.with_all_rows(), objective, atoms());
    EXPECT_TRUE(same_bits(result.value, expected.value));
    EXPECT_TRUE(same_bits(result.gradient, expected.gradient));
  });
}

}  // namespace
}  // namespace krica
