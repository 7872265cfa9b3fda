// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "data/decoded_images.hpp"

namespace krica {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(DecodedImages, GiveBackWhatWasPut) {
  DecodedImages kept(Context(), 3, 4);
  Bytes out(4);
  EXPECT_FALSE(kept.get(1, out.data()));
  kept.put(1, Bytes{1, 2, 3, 4}.data());
  kept.put(2, Bytes{5, 6, 7, 8}.data());
  ASSERT_TRUE(kept.get(1, out.data()));
  EXPECT_EQ(out, (Bytes{1, 2, 3, 4}));
  ASSERT_TRUE(kept.get(2, out.data()));
  EXPECT_EQ(out, (Bytes{5, 6, 7, 8}));
  EXPECT_FALSE(kept.get(0, out.data()));
}

TEST(DecodedImages, HoldNothingWhereAllTakeMoreThanTheirShareOfTheBudget) {
  constexpr Index kBytes = 1024;
  const Context context({.memory_bytes = 8 * 100 * kBytes});
  DecodedImages fits(context, 100, kBytes);
  DecodedImages too_many(context, 101, kBytes);
  Bytes image(kBytes, 7);
  Bytes out(kBytes);
  fits.put(0, image.data());
  too_many.put(0, image.data());
  EXPECT_TRUE(fits.get(0, out.data()));
  EXPECT_FALSE(too_many.get(0, out.data()));
}

TEST(DecodedImages, AreWholeWhateverTheThreadsDo) {
  constexpr Index kImages = 50;
  constexpr Index kBytes = 300;
  DecodedImages kept(Context(), kImages, kBytes);
  std::atomic<int> torn{0};
  const auto work = [&] {
    Bytes out(kBytes);
    for (int round = 0; round < 20; ++round) {
      for (Index i = 0; i < kImages; ++i) {
        const Bytes image(kBytes, static_cast<std::uint8_t>(i));
        if (kept.get(i, out.data()) && out != image) ++torn;
        kept.put(i, image.data());
      }
    }
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  EXPECT_EQ(torn, 0);
  Bytes out(kBytes);
  for (Index i = 0; i < kImages; ++i) EXPECT_TRUE(kept.get(i, out.data()));
}

}  // namespace
}  // namespace krica
