// SPDX-License-Identifier: BSD-3-Clause
//
// The groups of samples in which GPUs compute a sum, so that ranks can share them: each group is
// computed whole on one GPU, and the number of groups depends only on the sizes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "runtime/parallel.hpp"

namespace krica::device {

/// What a sum costs a GPU, in multiply-adds of a large product in tf32, of which an H200 does about
/// 126e9 per ms.
struct DeviceWork {
  double per_sample = 0;
  double per_group = 0;  ///< whatever the number of samples
};

/// For each byte between host and device, at 10 GB/s; for each byte of the device's memory.
inline constexpr double kPerByteMoved = 12.5e3;
inline constexpr double kPerByteRead = 30;

/// As many groups as keep what each costs in addition below a tenth of its work: a power of two,
/// which more numbers of ranks divide evenly, and at most 16.
inline Partition device_groups(Index samples, DeviceWork work) {
  constexpr Index kMost = 16;
  constexpr double kLaunches = 10e9;
  constexpr double kWorkPerCost = 10;
  const double groups = static_cast<double>(samples) * work.per_sample /
                        (kWorkPerCost * (kLaunches + work.per_group));
  const Index most = std::clamp<Index>(samples / 2, 1, kMost);
  const auto whole = static_cast<std::uint64_t>(std::clamp(groups, 1.0, static_cast<double>(most)));
  const Index count = std::max<Index>(1, static_cast<Index>(std::bit_floor(whole)));
  return {samples, (samples + count - 1) / count};
}

}  // namespace krica::device
