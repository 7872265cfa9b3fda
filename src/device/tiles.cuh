// SPDX-License-Identifier: BSD-3-Clause
//
// Kernels over matrices by tiles of 32 × 32, which also store their results transposed: cuBLAS's
// tf32 products are twice as fast where both operands have the summed index contiguous.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "device/launch.cuh"

namespace krica::device {

inline constexpr int kTile = 32;
inline constexpr int kTileThreads = kThreads;  ///< 32 × 8
inline constexpr int kTileBlocks = 1056;  ///< 8 for each of 132 processors; fixes the order of sums

/// value(row, column, load(row, column)) for each element of the tile at (row0, column0) within
/// rows × columns; stored transposed, to[column · stride + row], unless `to` is null. All is loaded
/// before any value is computed, so that the loads overlap.
template <class Load, class Value>
__device__ __forceinline__ void transposed_tile(float (&tile)[kTile][kTile + 1], int row0, int rows,
                                                int column0, int columns, float* to, int stride,
                                                Load load, Value value) {
  constexpr int kRowsAtATime = kTileThreads / kTile;
  constexpr int kSteps = kTile / kRowsAtATime;
  const int x = threadIdx.x % kTile;
  const int y = threadIdx.x / kTile;
  const auto inside = [&](int r) { return row0 + r < rows && column0 + x < columns; };
  decltype(load(0, 0)) loaded[kSteps] = {};
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const int r = y + step * kRowsAtATime;
    if (inside(r)) loaded[step] = load(row0 + r, column0 + x);
  }
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const int r = y + step * kRowsAtATime;
    if (inside(r)) tile[r][x] = value(row0 + r, column0 + x, loaded[step]);
  }
  if (to == nullptr) return;
  __syncthreads();
#pragma unroll
  for (int c = y; c < kTile; c += kRowsAtATime) {
    if (row0 + x < rows && column0 + c < columns)
      to[static_cast<std::size_t>(column0 + c) * stride + row0 + x] = tile[x][c];
  }
  __syncthreads();
}

/// Calls tile(row0, column0) for the block's share of the tiles of rows × columns.
template <class Tile>
__device__ __forceinline__ void for_tiles(int rows, int columns, Tile tile) {
  const int across = (columns + kTile - 1) / kTile;
  const int tiles = across * ((rows + kTile - 1) / kTile);
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) tile(t / across * kTile, t % across * kTile);
}

}  // namespace krica::device
