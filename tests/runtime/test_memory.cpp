// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "krica/runtime/matrix.hpp"
#include "runtime/memory.hpp"
#include "support/peak_memory.hpp"

namespace krica {
namespace {

TEST(PeakMemory, GrowsWithWhatIsHeldAndBeginsAnew) {
  if (!support::can_measure_memory()) GTEST_SKIP() << "the system or a sanitizer hides it";
  constexpr std::int64_t kBytes = std::int64_t{64} << 20;
  reset_peak_memory();
  const std::int64_t before = peak_memory();
  { const Matrix<char> held(kBytes, 1); }
  const std::int64_t with = peak_memory();
  EXPECT_GE(with, before + kBytes * 9 / 10);
  reset_peak_memory();
  EXPECT_LE(peak_memory(), with);
}

}  // namespace
}  // namespace krica
