// SPDX-License-Identifier: BSD-3-Clause
//
// The samples that a twin takes to the device, and how many it can process at a time.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

namespace krica::device {

/// On the host, row by row.
struct TwinSamples {
  const float* X = nullptr;
  std::int64_t count = 0;
  int n = 0;                         ///< values of a sample
  std::int64_t stride = 0;           ///< from row to row
  std::span<const int> labels = {};  ///< none, or one per sample
};

/// Consecutive samples.
struct SampleRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
  auto operator<=>(const SampleRange&) const = default;
};

/// Throws InvalidArgument for sizes below 1 and for more samples than fit an int.
void require_usable(const TwinSamples& samples, int atoms);

/// Rows of matrices on the device are filled up to so many values: tensor cores take multiples
/// of 8.
constexpr int filled_up(int value) { return (value + 7) / 8 * 8; }

struct TwinMemory {
  std::size_t fixed = 0;    ///< bytes
  std::size_t per_row = 0;  ///< bytes for each sample of a block
};
/// `most` samples at a time, or half as many until they fit the budget, but not below `fewest`;
/// filled up, and no more than there are. Throws DeviceError (kOutOfMemory).
int block_rows_that_fit(const TwinMemory& memory, std::size_t budget, std::int64_t most,
                        std::int64_t samples, std::int64_t fewest = 256);

}  // namespace krica::device
