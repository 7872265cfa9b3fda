// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <set>

#include "device/patch_tables.hpp"
#include "device/problem.hpp"

namespace krica::device {
namespace {

TEST(PatchTables, Bf16RoundsToNearestAndTiesToEven) {
  EXPECT_EQ(from_bf16(bf16_bits(1.0F)), 1.0F);
  EXPECT_EQ(from_bf16(bf16_bits(-3.5F)), -3.5F);
  EXPECT_EQ(from_bf16(bf16_bits(1 + 0x1p-8F)), 1.0F);
  EXPECT_EQ(from_bf16(bf16_bits(1 + 0x3p-8F)), 1 + 0x4p-8F);
  EXPECT_EQ(from_bf16(bf16_bits(1 + 0x1.1p-8F)), 1 + 0x1p-7F);
  for (int pixel = 0; pixel < 256; ++pixel)
    EXPECT_EQ(from_bf16(bf16_bits(static_cast<float>(pixel))), static_cast<float>(pixel));
}

TEST(PatchTables, PartsOfTheWhiteningAddUpToIt) {
  const Problem problem(3, 20, 23, 6, 1, 1, 1, CodeKind::kLinear, 1, 3, 50);
  for (const Operand operand : {Operand::kTf32, Operand::kTf32Split}) {
    const PatchTables tables(problem.patch_spec(), operand);
    EXPECT_EQ(tables.width, 112);
    EXPECT_EQ(tables.splits, operand == Operand::kTf32Split ? 3 : 2);
    const double tolerance = tables.splits == 3 ? 0x1p-24 : 0x1p-16;
    std::set<std::size_t> used;
    for (int o = 0; o < 50; ++o) {
      double sum = 0;
      for (int k = 0; k < 108; ++k) {
        const double expected = problem.transform[static_cast<std::size_t>(k * 50 + o)];
        double value = 0;
        for (int split = 0; split < tables.splits; ++split)
          value += from_bf16(
              tables.transform[static_cast<std::size_t>(split) * 112 * 112 + tables.element(k, o)]);
        EXPECT_NEAR(value, expected, tolerance * std::abs(expected));
        used.insert(tables.element(k, o));
        sum += expected;
      }
      EXPECT_FLOAT_EQ(tables.transform_sums[static_cast<std::size_t>(o)], static_cast<float>(sum));
      EXPECT_EQ(tables.offsets[static_cast<std::size_t>(o)],
                problem.offset[static_cast<std::size_t>(o)]);
    }
    EXPECT_EQ(used.size(), 50U * 108U) << "elements lie on one another";
    EXPECT_LT(*used.rbegin(), 112U * 112U);
  }
}

TEST(PatchTables, PixelsGoChannelByChannel) {
  const Problem problem(2, 10, 12, 2, 1, 1, 1, CodeKind::kLinear, 1, 3, 0);
  const PatchTables tables(problem.patch_spec(), Operand::kBf16);
  const std::vector<int> expected = {0, 1, 12, 13, 120, 121, 132, 133, -1};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), tables.pixels.begin()));
}

}  // namespace
}  // namespace krica::device
