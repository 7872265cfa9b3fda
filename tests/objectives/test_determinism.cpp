// SPDX-License-Identifier: BSD-3-Clause
//
// The same bits for any number of threads; the same numbers, to rounding, for any cut of the
// samples into blocks and any order of them. 1000 samples and 300 atoms make several tiles of
// samples (256) and of atoms (150).
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "support/comparison.hpp"
#include "support/kernels.hpp"
#include "support/problems.hpp"
#include "support/reference.hpp"
#include "support/terms.hpp"
#include "support/tolerances.hpp"

namespace krica {
namespace {

using support::evaluate;
using support::Problem;
using support::relative_error;
using support::same_bits;

const Problem& problem() {
  // As many samples as are summed in two groups (objectives/group_sums.hpp).
  static const Problem shared = support::random_problem({.m = 2500, .n = 20, .K = 300});
  return shared;
}

/// The kernels' parameters for 20 coordinates in (-1, 1).
KricaOptions krica_options(KernelKind kind) {
  return {.n_components = 300,
          .kernel = {.kind = kind, .gamma = 0.1, .degree = 2, .scale = 0.1},
          .groups = AtomGroups::topographic(),
          .discrimination = support::discrimination_of(support::ClassTerm::kSum, 0.01)};
}

RicaOptions rica_options(Contrast contrast) {
  return {.n_components = 300,
          .contrast = contrast,
          .row_norm = RowNorm::kSoft,
          .groups = AtomGroups::topographic(),
          .discrimination = support::discrimination_of(support::ClassTerm::kSum, 0.01)};
}

template <class Scalar, class Options>
void expect_same_bits(Options options) {
  for (const Index block_rows : {0, 700}) {  // one block, and four
    options.block_rows = block_rows;
    const auto alone = evaluate<Scalar>(Context({.threads = 1}), problem(), options);
    for (const int threads : {2, 3, 4}) {
      SCOPED_TRACE(testing::Message() << threads << " threads, blocks of " << block_rows);
      const auto result = evaluate<Scalar>(Context({.threads = threads}), problem(), options);
      EXPECT_TRUE(same_bits(result.value, alone.value));
      EXPECT_TRUE(same_bits(result.gradient, alone.gradient));
    }
  }
}

template <class Scalar, class Options>
void expect_same_in_other_blocks(Options options) {
  const Context context({.threads = 2});
  const auto whole = evaluate<Scalar>(context, problem(), options);
  for (const Index block_rows : {1, 2, 7, 128, 333, 5000}) {
    SCOPED_TRACE(testing::Message() << "blocks of " << block_rows);
    options.block_rows = block_rows;
    const auto result = evaluate<Scalar>(context, problem(), options);
    EXPECT_LE(relative_error(result.value, whole.value), support::kReordered<Scalar>);
    EXPECT_LE(relative_error(result.gradient, whole.gradient), support::kReordered<Scalar>);
  }
}

Problem shuffled() {
  Random random(1, "tests.shuffle");
  Problem result = problem();
  Index to = 0;
  for (const Index from : random_permutation(random, result.X.rows())) {
    result.X.view().row(to) = problem().X.view().row(from);
    result.labels[static_cast<std::size_t>(to++)] =
        problem().labels[static_cast<std::size_t>(from)];
  }
  return result;
}

template <class Scalar, class Options>
void expect_same_in_another_order(const Options& options) {
  const Context context({.threads = 2});
  const auto ordered = evaluate<Scalar>(context, problem(), options);
  const auto result = evaluate<Scalar>(context, shuffled(), options);
  EXPECT_LE(relative_error(result.value, ordered.value), support::kReordered<Scalar>);
  EXPECT_LE(relative_error(result.gradient, ordered.gradient), support::kReordered<Scalar>);
}

class KricaBits : public testing::TestWithParam<KernelKind> {
 protected:
  const KricaOptions options_ = krica_options(GetParam());
};

TEST_P(KricaBits, DoNotDependOnTheThreadsInFloat32) { expect_same_bits<float>(options_); }
TEST_P(KricaBits, DoNotDependOnTheThreadsInFloat64) { expect_same_bits<double>(options_); }
TEST_P(KricaBits, HardlyDependOnTheBlocksInFloat32) {
  expect_same_in_other_blocks<float>(options_);
}
TEST_P(KricaBits, HardlyDependOnTheBlocksInFloat64) {
  expect_same_in_other_blocks<double>(options_);
}
TEST_P(KricaBits, HardlyDependOnTheOrderInFloat32) {
  expect_same_in_another_order<float>(options_);
}
TEST_P(KricaBits, HardlyDependOnTheOrderInFloat64) {
  expect_same_in_another_order<double>(options_);
}

INSTANTIATE_TEST_SUITE_P(Determinism, KricaBits, testing::ValuesIn(support::kAllKernels),
                         [](const auto& test) { return support::test_name(test.param); });

class RicaBits : public testing::TestWithParam<Contrast> {
 protected:
  const RicaOptions options_ = rica_options(GetParam());
};

TEST_P(RicaBits, DoNotDependOnTheThreadsInFloat32) { expect_same_bits<float>(options_); }
TEST_P(RicaBits, DoNotDependOnTheThreadsInFloat64) { expect_same_bits<double>(options_); }
TEST_P(RicaBits, HardlyDependOnTheBlocksInFloat32) { expect_same_in_other_blocks<float>(options_); }
TEST_P(RicaBits, HardlyDependOnTheBlocksInFloat64) {
  expect_same_in_other_blocks<double>(options_);
}
TEST_P(RicaBits, HardlyDependOnTheOrderInFloat32) { expect_same_in_another_order<float>(options_); }
TEST_P(RicaBits, HardlyDependOnTheOrderInFloat64) {
  expect_same_in_another_order<double>(options_);
}

INSTANTIATE_TEST_SUITE_P(Determinism, RicaBits,
                         testing::Values(Contrast::kSmoothL1, Contrast::kMatlabLogCosh,
                                         Contrast::kExp, Contrast::kL2Pooling),
                         [](const auto& test) {
                           return support::test_name(std::string(name_of(test.param)));
                         });

TEST(Determinism, SeveralTilesOfAtomsGiveTheFormula) {
  const Problem small = support::random_problem({.m = 300, .n = 6, .K = 300});
  const KricaOptions options = {.n_components = 300, .kernel = {.gamma = 0.5}};
  const auto result = evaluate<double>(Context({.threads = 2}), small, options);
  EXPECT_LE(relative_error(result.value, reference::krica(options, small.X, small.W, {})), 1e-12);
  EXPECT_LE(
      relative_error(result.gradient, reference::krica_gradient(options, small.X, small.W, {})),
      1e-10);
}

TEST(Determinism, RicaWithManyCoordinates) {
  // 300 coordinates: the n×n products have several tiles as well.
  const Problem wide = support::random_problem({.m = 200, .n = 300, .K = 9});
  const RicaOptions options = {.n_components = 9};
  const auto alone = evaluate<float>(Context({.threads = 1}), wide, options);
  for (const int threads : {2, 3, 4}) {
    const auto result = evaluate<float>(Context({.threads = threads}), wide, options);
    EXPECT_TRUE(same_bits(result.value, alone.value));
    EXPECT_TRUE(same_bits(result.gradient, alone.gradient));
  }
}

TEST(Determinism, BatchesDoNotDependOnTheThreads) {
  const Matrix<float> X = support::cast_to<float>(problem().X);
  const Matrix<float> W = support::cast_to<float>(problem().W);
  std::vector<Index> batch;
  for (Index i = 0; i < 257; ++i) batch.push_back((i * 37) % 1000);
  Matrix<float> expected(300, 20);
  double value = 0;
  for (const int threads : {1, 2, 3, 4}) {
    const Context context({.threads = threads});
    KricaObjective<float> objective(X, krica_options(KernelKind::kGaussian), problem().labels);
    Matrix<float> gradient(300, 20);
    const double result = objective.value_and_gradient_on(context, batch, W, gradient);
    if (threads == 1) {
      value = result;
      expected = gradient;
    }
    EXPECT_TRUE(same_bits(result, value));
    EXPECT_TRUE(same_bits(gradient, expected));
  }
}

}  // namespace
}  // namespace krica
