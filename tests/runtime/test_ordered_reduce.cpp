// SPDX-License-Identifier: BSD-3-Clause
//
// Sums over parts: added over the tree that their number defines, by any number of threads.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "krica/runtime/context.hpp"
#include "krica/runtime/error.hpp"
#include "runtime/ordered_reduce.hpp"
#include "support/comparison.hpp"

namespace krica {
namespace {

/// Magnitudes that differ by 30 orders: any other order of addition gives other bits.
double term(Index i) { return std::sin(static_cast<double>(i) + 1) * std::pow(10, i % 31); }

std::vector<double> terms(Index count) {
  std::vector<double> values;
  for (Index i = 0; i < count; ++i) values.push_back(term(i));
  return values;
}

/// Level by level, as the header says it.
double naive_tree(std::vector<double> level) {
  if (level.empty()) return 0;
  while (level.size() > 1) {
    std::vector<double> above;
    for (std::size_t i = 0; i + 1 < level.size(); i += 2) above.push_back(level[i] + level[i + 1]);
    if (level.size() % 2 == 1) above.push_back(level.back());
    level = above;
  }
  return level.front();
}

TEST(TreeOrder, IsThatOfTheLevels) {
  for (Index count = 0; count <= 130; ++count)
    ASSERT_TRUE(support::same_bits(tree_sum(terms(count)), naive_tree(terms(count)))) << count;
}

TEST(TreeOrder, IsNotOneAfterTheOther) {
  const std::vector<double> values = terms(100);
  EXPECT_NE(tree_sum(values), std::accumulate(values.begin(), values.end(), 0.0));
}

TEST(TreeOrder, AddsUpWholeSubtreesOfAlignedParts) {
  const std::vector<double> values = terms(45);
  std::vector<double> of_machines;
  for (auto first = values.begin(); first < values.end(); first += 8)
    of_machines.push_back(tree_sum({first, std::min(first + 8, values.end())}));
  EXPECT_TRUE(support::same_bits(tree_sum(of_machines), tree_sum(values)));
}

TEST(SumParts, FollowFromSizesAlone) {
  EXPECT_EQ(sum_parts(0, 10).count(), 0);
  EXPECT_EQ(sum_parts(9, 10).count(), 1);
  EXPECT_EQ(sum_parts(100, 10).count(), 10);
  EXPECT_EQ(sum_parts(1000000, 10).count(), 64);
}

TEST(Tiles, CoverThePart) {
  std::vector<Index> seen;
  for_tiles({5, 18}, 4, [&](Range tile) {
    EXPECT_LE(tile.size(), 4);
    for (Index i = tile.begin; i < tile.end; ++i) seen.push_back(i);
  });
  std::vector<Index> all(13);
  std::iota(all.begin(), all.end(), 5);
  EXPECT_EQ(seen, all);
}

/// A sum that counts how many of its kind there are.
class Counted {
 public:
  Counted() { ++made; }
  Counted(Counted&& other) noexcept = default;
  Counted& operator=(Counted&& other) noexcept = default;

  void set_zero() { value = 0; }
  template <class Visit>
  void for_each_buffer(Visit visit) {
    visit(&value, sizeof(value));
  }
  Counted& operator+=(const Counted& more) {
    value += more.value;
    return *this;
  }

  double value = 0;
  static inline std::atomic<int> made = 0;
};

class OrderedReduction : public testing::TestWithParam<int> {
 protected:
  Counted sum_of_terms(Index parts) {
    return ordered_reduce<Counted>(
        context_, parts, Work{}, [] { return Counted(); },
        [](Index part, Counted& sum) {
          EXPECT_EQ(sum.value, 0);
          sum.value = term(part);
        });
  }
  const Context context_{{.threads = GetParam()}};
};

TEST_P(OrderedReduction, OfNumbersIsTheTree) {
  for (const Index parts : {0, 1, 2, 3, 64, 999})
    EXPECT_TRUE(support::same_bits(ordered_reduce(context_, parts, term), tree_sum(terms(parts))));
}

TEST_P(OrderedReduction, OfLargerSumsIsTheTree) {
  for (Index parts = 0; parts <= 40; ++parts)
    ASSERT_TRUE(support::same_bits(sum_of_terms(parts).value, tree_sum(terms(parts)))) << parts;
}

TEST_P(OrderedReduction, NeedsFewSums) {
  Counted::made = 0;
  sum_of_terms(1000);
  // A thread may be held up with its part while others go on, so that more subtrees wait.
  EXPECT_LE(Counted::made.load(), GetParam() == 1 ? 11 : 11 * GetParam());
}

TEST(TreeOrder, DoesNotDependOnWhichPartIsReadyFirst) {
  for (const Index parts : {1, 2, 5, 8, 13, 37}) {
    std::vector<Index> order(static_cast<std::size_t>(parts));
    std::iota(order.begin(), order.end(), Index{0});
    Random random(1, "order");
    for (int round = 0; round < 20; ++round) {
      TreeSum<Counted> tree(parts);
      for (const Index place : random_subset(random, parts, parts)) {
        Counted sum;
        sum.value = term(place);
        tree.put(place, std::move(sum));
      }
      ASSERT_TRUE(support::same_bits(tree.take().value, tree_sum(terms(parts))));
    }
  }
}

TEST_P(OrderedReduction, RethrowsThePartsException) {
  const auto fail = [](Index part) {
    if (part == 17) throw std::domain_error("seventeen");
    return 1.0;
  };
  EXPECT_THROW(ordered_reduce(context_, 50, fail), std::domain_error);
  EXPECT_THROW(ordered_reduce<Counted>(
                   context_, 50, Work{}, [] { return Counted(); },
                   [&](Index part, Counted& sum) { sum.value = fail(part); }),
               std::domain_error);
  EXPECT_EQ(ordered_reduce(context_, 5, [](Index) { return 1.0; }), 5.0) << "works again";
}

TEST_P(OrderedReduction, ReturnsNothingWhenCancelled) {
  std::atomic<int> runs = 0;
  EXPECT_THROW(ordered_reduce<Counted>(
                   context_, 10000, Work{}, [] { return Counted(); },
                   [&](Index part, Counted&) {
                     ++runs;
                     if (part == 3) context_.cancel();
                     // Or the others might finish before the thread with part 3 gets to it.
                     while (part > 3 && !context_.cancelled()) std::this_thread::yield();
                   }),
               Cancelled);
  EXPECT_LT(runs.load(), 10000);
  EXPECT_THROW(ordered_reduce(context_, 5, [](Index) { return 1.0; }), Cancelled);
  context_.clear_cancel();
  EXPECT_EQ(ordered_reduce(context_, 5, [](Index) { return 1.0; }), 5.0);
}

INSTANTIATE_TEST_SUITE_P(Threads, OrderedReduction, testing::Values(1, 2, 3, 4, 16),
                         [](const auto& test) { return std::to_string(test.param); });

}  // namespace
}  // namespace krica
