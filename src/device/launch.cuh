// SPDX-License-Identifier: BSD-3-Clause
//
// What kernels of all kinds share: blocks of 256 threads, how many of them, and sums in a fixed
// order.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace krica::device {

inline constexpr int kWarp = 32;
inline constexpr int kThreads = 256;  ///< of a block
inline constexpr int kWarps = kThreads / kWarp;
inline constexpr int kLargestGrid = 65535;  ///< blocks along y

/// Blocks for so many items, `each` of them a block.
inline unsigned blocks_for(std::size_t items, int each = kThreads) {
  const auto size = static_cast<std::size_t>(each);
  return static_cast<unsigned>((items + size - 1) / size);
}

/// The sum over the warp's lanes; the same bits in all.
template <class Value>
__device__ __forceinline__ Value warp_sum(Value value) {
  for (int mask = kWarp / 2; mask > 0; mask /= 2)
    value += __shfl_xor_sync(0xFFFFFFFFU, value, mask);
  return value;
}

/// The sum over the block's kThreads threads, in all of them. May be called again at once.
__device__ __forceinline__ double block_sum(double value) {
  __shared__ double partial[kThreads];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  const double sum = partial[0];
  __syncthreads();
  return sum;
}

}  // namespace krica::device
