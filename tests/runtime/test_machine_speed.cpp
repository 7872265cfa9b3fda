// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/machine_speed.hpp"

namespace krica {
namespace {

TEST(MachineSpeed, RatesArePositive) {
  for (const int threads : {1, 2, 3}) {
    const MachineSpeed speed = machine_speed(Context({.threads = threads}));
    for (const double rate : {speed.products, speed.serial_products, speed.loops, speed.reading})
      EXPECT_TRUE(std::isfinite(rate) && rate > 0) << rate << " with " << threads << " threads";
  }
}

TEST(MachineSpeed, IsMeasuredOncePerNumberOfThreads) {
  const MachineSpeed first = machine_speed(Context({.threads = 2, .seed = 1}));
  const MachineSpeed again = machine_speed(Context({.threads = 2, .seed = 2}));
  EXPECT_EQ(first.products, again.products);
  EXPECT_EQ(first.serial_products, again.serial_products);
  EXPECT_EQ(first.loops, again.loops);
  EXPECT_EQ(first.reading, again.reading);
}

}  // namespace
}  // namespace krica
