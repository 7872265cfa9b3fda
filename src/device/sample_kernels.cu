// SPDX-License-Identifier: BSD-3-Clause
#include "device/sample_kernels.hpp"
#include "device/tiles.cuh"

namespace krica::device {
namespace {

__device__ __forceinline__ std::int64_t warp_row() {
  return static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.x / 32;
}
unsigned warp_blocks(std::int64_t rows) {
  return blocks_for(static_cast<std::size_t>(rows), kWarps);
}

__global__ void __launch_bounds__(kThreads)
    widen_kernel(const float* from, std::int64_t rows, int n, int width, float mark,
                 const float* marks, float* to, float* norms) {
  const std::int64_t row = warp_row();
  if (row >= rows) return;
  if (marks != nullptr) mark = marks[row];
  double squares = 0;
  for (int k = threadIdx.x % 32; k < width; k += 32) {
    const float x = k < n ? from[row * n + k] : k == n ? mark : 0.0F;
    to[row * width + k] = x;
    if (k < n) squares += static_cast<double>(x) * static_cast<double>(x);
  }
  if (norms == nullptr) return;
  squares = warp_sum(squares);
  if (threadIdx.x % 32 == 0) norms[row] = static_cast<float>(squares);
}

__global__ void __launch_bounds__(kThreads)
    gather_kernel(const SampleBlock from, const std::int64_t* places, int rows, int width, float* X,
                  float* norms, int* labels) {
  const std::int64_t row = warp_row();
  if (row >= rows) return;
  const std::int64_t place = places[row];
  for (int k = threadIdx.x % 32; k < width; k += 32) X[row * width + k] = from.X[place * width + k];
  if (threadIdx.x % 32 != 0) return;
  norms[row] = from.norms[place];
  if (from.labels != nullptr) labels[row] = from.labels[place];
}

__global__ void __launch_bounds__(kTileThreads)
    transpose_kernel(const float* from, int rows, int columns, float* to, int to_stride) {
  __shared__ float tile[kTile][kTile + 1];
  for_tiles(rows, columns, [&](int row0, int column0) {
    transposed_tile(
        tile, row0, rows, column0, columns, to, to_stride,
        [&](int i, int k) { return from[static_cast<std::size_t>(i) * columns + k]; },
        [](int, int, float x) { return x; });
  });
}

}  // namespace

void widen(const float* from, std::int64_t rows, int n, int width, float mark, const float* marks,
           float* to, float* norms) {
  widen_kernel<<<warp_blocks(rows), kThreads>>>(from, rows, n, width, mark, marks, to, norms);
}

void gather(const SampleBlock& from, const std::int64_t* places, int rows, int width, float* X,
            float* norms, int* labels) {
  gather_kernel<<<warp_blocks(rows), kThreads>>>(from, places, rows, width, X, norms, labels);
}

void transpose(const float* from, int rows, int columns, float* to, int to_stride) {
  transpose_kernel<<<kTileBlocks, kTileThreads>>>(from, rows, columns, to, to_stride);
}

}  // namespace krica::device
