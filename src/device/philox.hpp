// SPDX-License-Identifier: BSD-3-Clause
//
// The draws of Random (krica/runtime/context.hpp) by their number, for kernels: Philox4x32-10 with
// the counter (draw / 2, purpose, index) gives two of them, the second word first.
#pragma once

#include <cstdint>

#include "device/host_device.hpp"

namespace krica::device {

struct PhiloxWords {
  std::uint32_t word[4];
};

KRICA_HOST_DEVICE inline PhiloxWords philox(PhiloxWords counter, std::uint64_t key) {
  auto low_key = static_cast<std::uint32_t>(key);
  auto high_key = static_cast<std::uint32_t>(key >> 32U);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t even = std::uint64_t{0xD2511F53U} * counter.word[0];
    const std::uint64_t odd = std::uint64_t{0xCD9E8D57U} * counter.word[2];
    counter = {{static_cast<std::uint32_t>(odd >> 32U) ^ counter.word[1] ^ low_key,
                static_cast<std::uint32_t>(odd),
                static_cast<std::uint32_t>(even >> 32U) ^ counter.word[3] ^ high_key,
                static_cast<std::uint32_t>(even)}};
    low_key += 0x9E3779B9U;
    high_key += 0xBB67AE85U;
  }
  return counter;
}

/// The streams of one seed and purpose.
struct RandomStreams {
  std::uint64_t seed = 0;
  std::uint32_t purpose = 0;  ///< purpose_hash() of its name

  /// What the draw-th call of uniform() gives in the stream of this index, counted from 0.
  [[nodiscard]] KRICA_HOST_DEVICE double uniform(std::uint64_t index, std::uint64_t draw) const {
    const PhiloxWords words =
        philox({{static_cast<std::uint32_t>(draw / 2), purpose, static_cast<std::uint32_t>(index),
                 static_cast<std::uint32_t>(index >> 32U)}},
               seed);
    const int first = draw % 2 == 0 ? 2 : 0;
    const std::uint64_t bits =
        words.word[first] | (static_cast<std::uint64_t>(words.word[first + 1]) << 32U);
    return static_cast<double>(bits >> 11U) * 0x1.0p-53;
  }
};

}  // namespace krica::device
