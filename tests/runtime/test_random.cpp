// SPDX-License-Identifier: BSD-3-Clause
//
// krica::Random is Philox4x32-10 with the counter (draw, hash of the purpose, index) and the seed
// as its key. An implementation from the paper's description, checked by Random123's known answers,
// says what each stream must give.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "krica/runtime/context.hpp"

namespace krica {
namespace {

using Words = std::array<std::uint32_t, 4>;

/// Philox4x32-10 (Salmon et al., SC 2011, section 3.3).
Words philox(Words counter, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key0, static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key1, static_cast<std::uint32_t>(a)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

std::uint32_t fnv1a(std::string_view text) {
  std::uint32_t hash = 0x811C9DC5;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return hash;
}

std::uint64_t join(std::uint32_t low, std::uint32_t high) {
  return (std::uint64_t{high} << 32) | low;
}

/// Two draws of a stream, in their order.
std::array<std::uint64_t, 2> expected_draws(std::uint64_t seed, std::string_view purpose,
                                            std::uint64_t index, std::uint32_t draw) {
  const Words words =
      philox({draw, fnv1a(purpose), static_cast<std::uint32_t>(index),
              static_cast<std::uint32_t>(index >> 32)},
             static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
  return {join(words[2], words[3]), join(words[0], words[1])};
}

std::vector<std::uint64_t> first_draws(Random random, int count = 50) {
  std::vector<std::uint64_t> draws;
  for (int i = 0; i < count; ++i) draws.push_back(random());
  return draws;
}

TEST(Random, ReferenceGivesTheKnownAnswersOfRandom123) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0U, ~0U, ~0U, ~0U}, ~0U, ~0U),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, GivesTheKnownAnswerOfRandom123) {
  Random random(0, "\xcc\x24\x31\xc4", 0);  // this purpose's hash is 0
  EXPECT_EQ(random(), join(0xbc57ac4c, 0x9b00dbd8));
  EXPECT_EQ(random(), join(0x6627e8d5, 0xe169c58d));
}

TEST(Random, IsPhiloxOfSeedPurposeAndIndex) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0} - 3}) {
    for (const std::uint64_t index : {std::uint64_t{0}, std::uint64_t{1} << 40}) {
      for (const std::string purpose : {"", "kmeans.start", "a"}) {
        Random random(seed, purpose, index);
        for (std::uint32_t draw = 0; draw < 20; ++draw) {
          const auto [first, second] = expected_draws(seed, purpose, index, draw);
          ASSERT_EQ(random(), first);
          ASSERT_EQ(random(), second);
        }
      }
    }
  }
}

TEST(Random, StreamsRepeatAndDiffer) {
  const auto stream = first_draws(Random(1, "a", 2));
  EXPECT_EQ(first_draws(Random(1, "a", 2)), stream);
  EXPECT_NE(first_draws(Random(2, "a", 2)), stream);
  EXPECT_NE(first_draws(Random(1, "b", 2)), stream);
  EXPECT_NE(first_draws(Random(1, "a", 3)), stream);
  std::set<std::uint64_t> seen;
  for (std::uint64_t index = 0; index < 200; ++index) {
    for (const std::uint64_t draw : first_draws(Random(1, "a", index))) seen.insert(draw);
  }
  EXPECT_EQ(seen.size(), 200U * 50U);
}

TEST(Random, ACopyContinuesAlike) {
  Random random(3, "copy");
  (void)random.normal();
  Random copy = random;
  EXPECT_EQ(copy.normal(), random.normal());
  EXPECT_EQ(copy(), random());
}

TEST(Random, UniformFillsTheUnitInterval) {
  Random random(1, "uniform");
  constexpr int kCells = 50;
  constexpr int kDraws = 100000;
  std::array<int, kCells> counts{};
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    ++counts[static_cast<std::size_t>(u * kCells)];
    sum += u;
  }
  double chi_square = 0;
  for (const int count : counts) chi_square += std::pow(count - kDraws / kCells, 2);
  chi_square /= double{kDraws} / kCells;
  EXPECT_LT(chi_square, 94.6);  // 49 degrees of freedom, 1e-4
  EXPECT_NEAR(sum / kDraws, 0.5, 0.004);
}

TEST(Random, NormalHasTheMomentsOfItsName) {
  Random random(1, "normal");
  constexpr int kDraws = 200000;
  std::array<double, 5> moments{};
  for (int i = 0; i < kDraws; ++i) {
    const double value = random.normal();
    ASSERT_TRUE(std::isfinite(value));
    for (std::size_t power = 1; power < 5; ++power)
      moments[power] += std::pow(value, static_cast<double>(power)) / kDraws;
  }
  EXPECT_NEAR(moments[1], 0, 0.01);
  EXPECT_NEAR(moments[2], 1, 0.015);
  EXPECT_NEAR(moments[3], 0, 0.05);
  EXPECT_NEAR(moments[4], 3, 0.12);
}

TEST(Random, NeighbouringStreamsAreUncorrelated) {
  constexpr int kStreams = 20000;
  double across_indices = 0;
  double across_draws = 0;
  double last = 0;
  for (int i = 0; i < kStreams; ++i) {
    Random random(1, "neighbours", static_cast<std::uint64_t>(i));
    const double first = random.normal();
    across_draws += first * random.normal() / kStreams;
    across_indices += first * last / kStreams;
    last = first;
  }
  EXPECT_NEAR(across_indices, 0, 4 / std::sqrt(kStreams));
  EXPECT_NEAR(across_draws, 0, 4 / std::sqrt(kStreams));
}

TEST(Random, BelowStaysBelow) {
  Random random(1, "below");
  for (const Index bound : {Index{1}, Index{2}, Index{3}, Index{1000}, Index{1} << 40,
                            std::numeric_limits<Index>::max()}) {
    for (int i = 0; i < 200; ++i) {
      const Index draw = random.below(bound);
      ASSERT_GE(draw, 0);
      ASSERT_LT(draw, bound);
    }
  }
}

TEST(Random, BelowIsUniform) {
  Random random(2, "below");
  constexpr Index kBound = 7;
  constexpr int kDraws = 70000;
  std::array<int, kBound> counts{};
  for (int i = 0; i < kDraws; ++i) ++counts[static_cast<std::size_t>(random.below(kBound))];
  double chi_square = 0;
  for (const int count : counts) chi_square += std::pow(count - 10000, 2) / 10000;
  EXPECT_LT(chi_square, 27.9);  // 6 degrees of freedom, 1e-4
}

TEST(Random, BelowIsUnbiasedForHugeBounds) {
  // Taking 64 bits modulo 3·2^61 would make the lower two thirds of the range half again as likely
  // as it should be: 3/4 of the draws instead of 2/3.
  Random random(3, "below");
  constexpr Index kThird = Index{1} << 61;
  constexpr int kDraws = 30000;
  int lower = 0;
  for (int i = 0; i < kDraws; ++i) lower += random.below(3 * kThird) < 2 * kThird ? 1 : 0;
  EXPECT_NEAR(lower / double{kDraws}, 2.0 / 3, 4 * std::sqrt(2.0 / 9 / kDraws));
}

TEST(RandomPermutation, HoldsEveryIndexOnce) {
  for (const Index count : {0, 1, 2, 3, 100}) {
    Random random(1, "permutation");
    std::vector<Index> order = random_permutation(random, count);
    std::sort(order.begin(), order.end());
    std::vector<Index> expected(static_cast<std::size_t>(count));
    std::iota(expected.begin(), expected.end(), Index{0});
    EXPECT_EQ(order, expected);
  }
}

TEST(RandomPermutation, GivesEveryOrderAlike) {
  Random random(1, "orders");
  std::map<std::vector<Index>, int> counts;
  for (int i = 0; i < 24000; ++i) ++counts[random_permutation(random, 4)];
  ASSERT_EQ(counts.size(), 24U);
  double chi_square = 0;
  for (const auto& [order, count] : counts) chi_square += std::pow(count - 1000, 2) / 1000;
  EXPECT_LT(chi_square, 58.7);  // 23 degrees of freedom, 5e-5
}

TEST(RandomSubset, IsDistinctAscendingAndBelowTheBound) {
  Random random(1, "subset");
  for (const auto& [bound, count] :
       {std::pair<Index, Index>{10, 3}, {10, 10}, {10, 0}, {1, 1}, {0, 0}, {1000000, 500}}) {
    const std::vector<Index> subset = random_subset(random, bound, count);
    EXPECT_EQ(static_cast<Index>(subset.size()), count);
    EXPECT_TRUE(std::is_sorted(subset.begin(), subset.end()));
    EXPECT_EQ(std::set<Index>(subset.begin(), subset.end()).size(), subset.size());
    for (const Index index : subset) {
      EXPECT_GE(index, 0);
      EXPECT_LT(index, bound);
    }
  }
}

TEST(RandomSubset, GivesEverySubsetAlike) {
  Random random(1, "subsets");
  std::map<std::vector<Index>, int> counts;
  for (int i = 0; i < 20000; ++i) ++counts[random_subset(random, 6, 3)];
  ASSERT_EQ(counts.size(), 20U);
  double chi_square = 0;
  for (const auto& [subset, count] : counts) chi_square += std::pow(count - 1000, 2) / 1000;
  EXPECT_LT(chi_square, 52.4);  // 19 degrees of freedom, 5e-5
}

}  // namespace
}  // namespace krica
