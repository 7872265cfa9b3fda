// SPDX-License-Identifier: BSD-3-Clause
//
// The terms of code_terms.hpp and their derivatives, one element of the codes at a time.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "device/code_terms.hpp"

namespace krica::device {

/// The terms of most objectives, λ Σ_u sqrt(ε + s_u²) alone.
struct PlainTerms {
  int stride = 0;  ///< from row to row of the codes
  float weight = 0;
  float epsilon = 0;

  /// Adds the terms of s = S_iu to `value`; returns their derivative.
  __device__ __forceinline__ float add(int /*i*/, int /*u*/, float s, float& value) const {
    const float root = sqrtf(epsilon + s * s);
    value += weight * root;
    return weight * s / root;
  }
};

/// All terms, of a block of codes S. All pointers are to the device.
struct CodeTerms {
  int stride = 0;
  // The contrast.
  ContrastKind kind = ContrastKind::kRoot;
  float weight = 0;
  float epsilon = 0;
  float beta = 1;
  const float* signs = nullptr;  ///< null: all 1
  const float* pooled =
      nullptr;  ///< λ σ_j / sqrt(ε + Σ_u H_ju s_u²), as S; null: H is the identity
  const int* offsets = nullptr;  ///< of Hᵀ
  const int* columns = nullptr;
  const float* values = nullptr;
  // The classes.
  const int* labels = nullptr;  ///< null: there is no such term
  const int* atom_class = nullptr;
  const float2* class_sums = nullptr;  ///< Σ_{u∈y} s_u and Σ_{u∉y} s_u of each row; null: c is 0
  float own = 0;
  float other = 0;
  float sums = 0;
  float homogeneous = 1;

  [[nodiscard]] bool are_plain() const {
    return kind == ContrastKind::kRoot && signs == nullptr && pooled == nullptr &&
           labels == nullptr;
  }

  /// As PlainTerms::add.
  __device__ __forceinline__ float add(int i, int u, float s, float& value) const {
    const float slope = add_contrast(i, u, s, value);
    return labels == nullptr ? slope : slope + add_class(i, u, s, value);
  }

 private:
  __device__ __forceinline__ float add_contrast(int i, int u, float s, float& value) const {
    const float factor = signs == nullptr ? weight : weight * signs[u];
    if (kind == ContrastKind::kRoot) {
      if (pooled != nullptr) return add_pooled(i, u, s, value);
      return PlainTerms{stride, factor, epsilon}.add(i, u, s, value);
    }
    if (kind == ContrastKind::kLogCosh) {  // as in objectives/contrast.cpp
      const float t = expf(-2 * beta * fabsf(s));
      value += factor * (fabsf(s) + (log1pf(t) - 0.693147181F) / beta);
      return factor * copysignf((1 - t) / (1 + t), s);
    }
    const float bell = expf(-0.5F * s * s);
    value -= factor * bell;
    return factor * s * bell;
  }

  __device__ __forceinline__ float add_pooled(int i, int u, float s, float& value) const {
    const float* row = pooled + static_cast<std::size_t>(i) * stride;
    value += weight * weight / row[u];
    float sum = 0;
    for (int e = offsets[u]; e < offsets[u + 1]; ++e) sum = fmaf(values[e], row[columns[e]], sum);
    return s * sum;
  }

  __device__ __forceinline__ float add_class(int i, int u, float s, float& value) const {
    const bool mine = atom_class[u] == labels[i];
    const float factor = mine ? own : other;
    value += factor * s * s;
    float slope = 2 * factor * s;
    if (class_sums == nullptr) return slope;
    const float2 sum = class_sums[i];
    slope += 2 * sums * (mine ? -homogeneous * sum.x : sum.y);
    // The row's own part, once for all atoms.
    if (u == 0) value += sums * (sum.y * sum.y - homogeneous * sum.x * sum.x);
    return slope;
  }
};

}  // namespace krica::device
