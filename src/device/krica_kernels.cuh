// SPDX-License-Identifier: BSD-3-Clause
//
// The elementwise steps of kRICA's value and gradient, between cuBLAS's products. κ and its slope
// as in kernels/kernel_math.hpp; ∂κ/∂w = slope · (w - x) for distances, slope · x for dot products.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "device/mercer.hpp"

namespace krica::device {

/// κ from w·x and the squared norms.
__device__ __forceinline__ float mercer_value(const Mercer& kernel, float dot, float norm_w,
                                              float norm_x) {
  const float squared = fmaxf(0.0F, norm_w + norm_x - 2 * dot);
  switch (kernel.kind) {
    case MercerKind::kGaussian:
      return expf(-kernel.gamma * squared);
    case MercerKind::kInverseSquareDistance:
      return 1 / (1 + kernel.scale * squared);
    case MercerKind::kInverseDistance:
      return 1 / (1 + kernel.scale * sqrtf(squared + 1e-8F));
    case MercerKind::kLinear:
      return dot;
    default: {
      float power = 1;
      for (int i = 0; i < kernel.degree; ++i) power *= 1 + dot;
      return power;
    }
  }
}
/// The slope from κ itself.
__device__ __forceinline__ float mercer_slope(const Mercer& kernel, float value) {
  switch (kernel.kind) {
    case MercerKind::kGaussian:
      return -2 * kernel.gamma * value;
    case MercerKind::kInverseSquareDistance:
      return -2 * kernel.scale * value * value;
    case MercerKind::kInverseDistance:  // z = (1/κ - 1) / b
      return -kernel.scale * kernel.scale * value * value * value / fmaxf(1 - value, 1e-7F);
    case MercerKind::kLinear:
      return 1;
    default: {  // degree (1 + dot)^(degree-1)
      const float base = copysignf(powf(fabsf(value), 1.0F / static_cast<float>(kernel.degree)),
                                   kernel.degree % 2 == 1 ? value : 1.0F);
      return base == 0 ? 0.0F : static_cast<float>(kernel.degree) * value / base;
    }
  }
}

// cuBLAS's tf32 products are twice as fast where both operands have the summed index contiguous. So
// these kernels also store their results transposed, by tiles of 32 × 32.
inline constexpr int kTile = 32;
inline constexpr int kTileThreads = 256;  ///< 32 × 8

/// Calls value(row, column) for the tile's elements, column by column of threads, and stores what
/// it returns transposed: to[column · stride + row]. Rows and columns from row0 and column0 on.
template <class Value>
__device__ __forceinline__ void transposed_tile(float (&tile)[kTile][kTile + 1], int row0, int rows,
                                                int column0, int columns, float* to, int stride,
                                                Value value) {
  const int x = threadIdx.x % kTile;
  const int y = threadIdx.x / kTile;
#pragma unroll
  for (int r = y; r < kTile; r += kTileThreads / kTile) {
    if (row0 + r < rows && column0 + x < columns) tile[r][x] = value(row0 + r, column0 + x);
  }
  __syncthreads();
#pragma unroll
  for (int c = y; c < kTile; c += kTileThreads / kTile) {
    if (row0 + x < rows && column0 + c < columns)
      to[static_cast<std::size_t>(column0 + c) * stride + row0 + x] = tile[x][c];
  }
  __syncthreads();
}

/// S ← κ of the products in S (rows × stride), and the same to St (stride × t_stride); 0 behind K.
static __global__ void __launch_bounds__(kTileThreads)
    mercer_kernel(const Mercer kernel, float* S, float* St, int stride, int t_stride,
                  const float* norms_x, const float* norms_w, int rows, int K) {
  __shared__ float tile[kTile][kTile + 1];
  const int across = (stride + kTile - 1) / kTile;
  const int tiles = across * ((rows + kTile - 1) / kTile);
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    transposed_tile(tile, t / across * kTile, rows, t % across * kTile, stride, St, t_stride,
                    [&](int i, int u) {
                      float& s = S[static_cast<std::size_t>(i) * stride + u];
                      s = u < K ? mercer_value(kernel, s, norms_w[u], norms_x[i]) : 0.0F;
                      return s;
                    });
  }
}

/// One term of f, and its derivative: f = ρ s (t - 2s) + λ sqrt(ε + s²), ∂f/∂s with t = (s G)_u.
struct KricaTerm {
  float reconstruction;  ///< ρ
  float sparsity;        ///< λ
  float epsilon;         ///< ε

  __device__ __forceinline__ float add(const Mercer& kernel, float s, float t, float& value) const {
    const float root = sqrtf(epsilon + s * s);
    value += reconstruction * s * (t - 2 * s) + sparsity * root;
    const float A = reconstruction * (2 * t - 4 * s) + sparsity * s / root;
    return A * mercer_slope(kernel, s);
  }
};

/// Mt ← (∂f/∂S ∘ slopes)ᵀ (stride × t_stride) from S and T = S G; values[block] ← the block's part
/// of Σ f. 0 behind K.
static __global__ void __launch_bounds__(kTileThreads)
    krica_terms_kernel(const Mercer kernel, const KricaTerm term, const float* S, const float* T,
                       float* Mt, int stride, int t_stride, int rows, int K, double* values) {
  __shared__ float tile[kTile][kTile + 1];
  const int across = (stride + kTile - 1) / kTile;
  const int tiles = across * ((rows + kTile - 1) / kTile);
  double value = 0;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    float part = 0;
    transposed_tile(tile, t / across * kTile, rows, t % across * kTile, stride, Mt, t_stride,
                    [&](int i, int u) {
                      if (u >= K) return 0.0F;
                      const std::size_t at = static_cast<std::size_t>(i) * stride + u;
                      return term.add(kernel, S[at], T[at], part);
                    });
    value += static_cast<double>(part);
  }
  __shared__ double shared[kTileThreads];
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = kTileThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) values[blockIdx.x] = shared[0];
}

/// to (columns × to_stride) ← fromᵀ, from: rows × columns.
static __global__ void __launch_bounds__(kTileThreads)
    transpose_kernel(const float* from, int rows, int columns, float* to, int to_stride) {
  __shared__ float tile[kTile][kTile + 1];
  const int across = (columns + kTile - 1) / kTile;
  const int tiles = across * ((rows + kTile - 1) / kTile);
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    transposed_tile(tile, t / across * kTile, rows, t % across * kTile, columns, to, to_stride,
                    [&](int i, int k) { return from[static_cast<std::size_t>(i) * columns + k]; });
  }
}

/// G ← κ(w_u, w_v) from W Wᵀ, with the exact diagonal; zeros behind K. One thread an element.
static __global__ void gram_kernel(const Mercer kernel, float* G, int stride, const float* norms,
                                   int K) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  const int u = blockIdx.y;
  if (v >= stride) return;
  float* g = G + static_cast<std::size_t>(u) * stride + v;
  if (v >= K || u >= K) {
    *g = 0;
  } else if (u == v && is_distance(kernel.kind)) {
    *g = mercer_value(kernel, norms[u], norms[u], norms[u]);
  } else {
    *g = mercer_value(kernel, *g, norms[u], norms[v]);
  }
}

/// C ← 2ρ C ∘ slopes of G; the diagonal is 0 for distances.
static __global__ void gram_weights_kernel(const Mercer kernel, float factor, const float* G,
                                           float* C, int stride, int K) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  const int u = blockIdx.y;
  if (v >= K) return;
  const std::size_t at = static_cast<std::size_t>(u) * stride + v;
  C[at] = u == v && is_distance(kernel.kind) ? 0.0F : factor * C[at] * mercer_slope(kernel, G[at]);
}

/// Rows of n values to rows of `width`: behind them `mark`, then zeros. Squared norms too.
static __global__ void widen_kernel(const float* from, int rows, int n, int width, float mark,
                                    float* to, float* norms) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  double squares = 0;
  for (int k = lane; k < width; k += 32) {
    const float x = k < n ? from[static_cast<std::size_t>(row) * n + k] : k == n ? mark : 0.0F;
    to[static_cast<std::size_t>(row) * width + k] = x;
    if (k < n) squares += static_cast<double>(x) * static_cast<double>(x);
  }
  for (int mask = 16; mask > 0; mask /= 2) squares += __shfl_xor_sync(0xFFFFFFFFU, squares, mask);
  if (lane == 0) norms[row] = static_cast<float>(squares);
}

/// gradient = factor (totals w - sums), or factor · sums for dot products; totals stand behind the
/// n sums.
static __global__ void krica_finish_kernel(bool distance, float factor, const float* sums,
                                           int width, const float* W, int K, int n,
                                           float* gradient) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= K * n) return;
  const float* row = sums + static_cast<std::size_t>(i / n) * width;
  gradient[i] = factor * (distance ? fmaf(row[n], W[i], -row[i % n]) : row[i % n]);
}

}  // namespace krica::device
