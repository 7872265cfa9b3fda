// SPDX-License-Identifier: BSD-3-Clause
//
// The elementwise steps of kRICA's value and gradient, between cuBLAS's products. κ and its slope
// as in kernels/kernel_math.hpp; ∂κ/∂w = slope · (w - x) for distances, slope · x for dot products.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "device/code_terms.cuh"
#include "device/mercer.hpp"
#include "device/tiles.cuh"

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

/// S ← κ of the products in S (rows × stride), and the same to St (stride × t_stride) unless null;
/// 0 behind K.
static __global__ void __launch_bounds__(kTileThreads)
    mercer_kernel(const Mercer kernel, float* S, float* St, int stride, int t_stride,
                  const float* norms_x, const float* norms_w, int rows, int K) {
  __shared__ float tile[kTile][kTile + 1];
  for_tiles(rows, stride, [&](int row0, int column0) {
    transposed_tile(
        tile, row0, rows, column0, stride, St, t_stride,
        [&](int i, int u) { return S[static_cast<std::size_t>(i) * stride + u]; },
        [&](int i, int u, float dot) {
          const float s = u < K ? mercer_value(kernel, dot, norms_w[u], norms_x[i]) : 0.0F;
          S[static_cast<std::size_t>(i) * stride + u] = s;
          return s;
        });
  });
}

/// One element of f, ρ s (t - 2s) + terms(s) with t = (s G)_u, and its ∂/∂s ∘ slope. The first
/// atom has ρ κ(x, x) as well.
template <class Terms>
struct KricaTerm {
  Mercer kernel;
  float reconstruction;  ///< ρ
  const float* S;
  const float* T;
  const float* norms_x;
  Terms terms;

  __device__ __forceinline__ float2 load(int i, int u) const {
    const std::size_t at = static_cast<std::size_t>(i) * terms.stride + u;
    return {S[at], T[at]};
  }
  __device__ __forceinline__ float add(int i, int u, float2 loaded, float& value) const {
    const float s = loaded.x;
    const float t = loaded.y;
    value += reconstruction * s * (t - 2 * s);
    if (u == 0) value += reconstruction * mercer_value(kernel, norms_x[i], norms_x[i], norms_x[i]);
    const float A = reconstruction * (2 * t - 4 * s) + terms.add(i, u, s, value);
    return A * mercer_slope(kernel, s);
  }
};

/// G ← κ(w_u, w_v) from W Wᵀ, with the exact diagonal; zeros behind K. One thread an element, or
/// one in every gridDim.y of a column.
static __global__ void gram_kernel(const Mercer kernel, float* G, int stride, const float* norms,
                                   int K) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= stride) return;
  for (int u = blockIdx.y; u < stride; u += gridDim.y) {
    float* g = G + static_cast<std::size_t>(u) * stride + v;
    if (v >= K || u >= K) {
      *g = 0;
    } else if (u == v && is_distance(kernel.kind)) {
      *g = mercer_value(kernel, norms[u], norms[u], norms[u]);
    } else {
      *g = mercer_value(kernel, *g, norms[u], norms[v]);
    }
  }
}

/// C ← 2ρ C ∘ slopes of G; the diagonal is 0 for distances.
static __global__ void gram_weights_kernel(const Mercer kernel, float factor, const float* G,
                                           float* C, int stride, int K) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= K) return;
  for (int u = blockIdx.y; u < K; u += gridDim.y) {
    const std::size_t at = static_cast<std::size_t>(u) * stride + v;
    C[at] =
        u == v && is_distance(kernel.kind) ? 0.0F : factor * C[at] * mercer_slope(kernel, G[at]);
  }
}

}  // namespace krica::device
