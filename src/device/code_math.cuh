// SPDX-License-Identifier: BSD-3-Clause
//
// The codes, as functions of a product and two squared norms. Every atom w_u is packed as a vector
// v_u with constants c_u, d_u, t_u, and every patch x comes with q = ‖x‖²; p = v_u·x is what the
// tensor cores give:
//
//   code                      v         c        d            t      s
//   gaussian                  2γw l     -γ l     -γ‖w‖² l     -      2^(p + c q + d), l = log₂e
//   inverse-square-distance   -2w       1        ‖w‖²         -      1 / (1 + b z²), z² = p + q + d
//   inverse-distance          -2w       1        ‖w‖²         -      1 / (1 + b sqrt(z² + 1e-8))
//   triangle                  -2w       1        ‖w‖²         -      max(0, mean_v z_v - z_u)
//   linear, abs, soft-abs     w         -        -            -      p, |p|, sqrt(p² + 1e-8)
//   polynomial                w         -        -            -      (1 + p)^degree
//   soft-threshold            w         -        -            t      max(0, ±p - t), two channels
//   sigmoid                   w         -        -            bias   1 / (1 + exp(-p - t))
//
// Rows that only fill up a tile have q = +∞ and must give 0: the distance codes do by themselves,
// the others are multiplied by `present`.
//
// The way back, from A = ∂L/∂s: weights m with
//
//   ∂L/∂w_u = f_u (Σ m x - [distances] w_u Σ m),
//
//   gaussian                  m = A s             f = 2γ_u    ∂L/∂log γ_u = ln 2 Σ m (exponent)
//   inverse-square-distance   m = A s²            f = 2b
//   inverse-distance          m = A s² / z        f = b
//   linear, abs, soft-abs     m = A, A sign(p), A p / s       f = 1
//   polynomial                m = A degree (1 + p)^(degree-1)
//   soft-threshold            m = A⁺ [p > t] - A⁻ [-p > t]
//                             ∂L/∂t_u = -Σ (A⁺ [p > t] + A⁻ [-p > t])
//   sigmoid                   m = A s (1 - s)     ∂L/∂b_u = Σ m
#pragma once

#include <cuda_runtime.h>

#include "device/code_kind.hpp"
#include "device/operand_layout.hpp"

namespace krica::device {

/// c_u, d_u, t_u, and 1 for an atom, 0 for one that only fills up a tile.
using AtomConstants = float4;

__device__ __forceinline__ float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float sqrt_fast(float x) {
  float y;
  asm("sqrt.approx.ftz.f32 %0, %1;\n" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float reciprocal_fast(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;\n" : "=f"(y) : "f"(x));
  return y;
}
/// 1 for a patch, 0 for a row that only fills up a tile.
__device__ __forceinline__ float present(float q) { return q < INFINITY ? 1.0F : 0.0F; }
/// Rounding may take a squared distance below 0.
__device__ __forceinline__ float squared_distance(float p, float q, AtomConstants u) {
  return fmaxf(0.0F, p + (q + u.y));
}

inline constexpr float kSquaredDistanceFloor = 1e-8F;  ///< as in kernels/kernel_math.hpp
inline constexpr float kSoftAbsFloor = 1e-8F;          ///< as in joint/code_layer.cpp
inline constexpr float kLog2e = 1.44269504F;

/// `mean`: of the patch's distances to all atoms, for the triangle. `value` is the code of channel
/// `output`. kWhole (Gaussian): p is the whole exponent, as operand_layout.hpp has it.
template <CodeKind kCode, bool kWhole = false>
struct CodeMap {
  static constexpr CodeKind kKind = kCode;
  static constexpr bool kFolded = kWhole;

  float scale;  ///< b
  int degree;

  __device__ __forceinline__ float value(float p, float q, float mean, AtomConstants u,
                                         int output) const {
    if constexpr (kKind == CodeKind::kGaussian) {
      return exp2_fast(kFolded ? p : p + fmaf(u.x, q, u.y));
    } else if constexpr (kKind == CodeKind::kInverseSquareDistance) {
      return reciprocal_fast(fmaf(scale, squared_distance(p, q, u), 1.0F));
    } else if constexpr (kKind == CodeKind::kInverseDistance) {
      const float z = sqrt_fast(squared_distance(p, q, u) + kSquaredDistanceFloor);
      return reciprocal_fast(fmaf(scale, z, 1.0F));
    } else if constexpr (kKind == CodeKind::kTriangle) {
      return fmaxf(0.0F, mean - sqrt_fast(squared_distance(p, q, u)));  // max drops the NaN of ∞-∞
    } else if constexpr (kKind == CodeKind::kLinear) {
      return p;  // a filling row is 0
    } else if constexpr (kKind == CodeKind::kAbs) {
      return fabsf(p);
    } else if constexpr (kKind == CodeKind::kSoftAbs) {
      return present(q) * sqrt_fast(fmaf(p, p, kSoftAbsFloor));
    } else if constexpr (kKind == CodeKind::kPolynomial) {
      float power = present(q);
      for (int i = 0; i < degree; ++i) power *= 1.0F + p;
      return power;
    } else if constexpr (kKind == CodeKind::kSoftThreshold) {
      return present(q) * fmaxf(0.0F, (output == 0 ? p : -p) - u.z);
    } else {
      return present(q) * reciprocal_fast(1.0F + exp2_fast(-kLog2e * (p + u.z)));
    }
  }

  /// m. Adds to `shape` what the gradient of the atom's shape sums. A: ∂L/∂s of both channels. Not
  /// for the triangle. q is finite here, also for rows that fill up.
  __device__ __forceinline__ float weight(float p, float q, AtomConstants u, float2 A,
                                          float& shape) const {
    if constexpr (kKind == CodeKind::kGaussian) {
      const float exponent = kFolded ? p : p + fmaf(u.x, q, u.y);
      const float m = A.x * exp2_fast(exponent);
      shape = fmaf(m, exponent, shape);
      return m;
    } else if constexpr (kKind == CodeKind::kInverseSquareDistance) {
      const float s = reciprocal_fast(fmaf(scale, squared_distance(p, q, u), 1.0F));
      return A.x * s * s;
    } else if constexpr (kKind == CodeKind::kInverseDistance) {
      const float z = sqrt_fast(squared_distance(p, q, u) + kSquaredDistanceFloor);
      const float s = reciprocal_fast(fmaf(scale, z, 1.0F));
      return A.x * s * s * reciprocal_fast(z);
    } else if constexpr (kKind == CodeKind::kLinear) {
      return A.x;
    } else if constexpr (kKind == CodeKind::kAbs) {
      return p > 0 ? A.x : p < 0 ? -A.x : 0.0F;
    } else if constexpr (kKind == CodeKind::kSoftAbs) {
      return A.x * p * rsqrtf(fmaf(p, p, kSoftAbsFloor));
    } else if constexpr (kKind == CodeKind::kPolynomial) {
      float power = A.x * static_cast<float>(degree);
      for (int i = 1; i < degree; ++i) power *= 1.0F + p;
      return power;
    } else if constexpr (kKind == CodeKind::kSoftThreshold) {
      const float there = q < kFillingNorm ? 1.0F : 0.0F;
      const float up = p > u.z ? there * A.x : 0.0F;
      const float down = -p > u.z ? there * A.y : 0.0F;
      shape -= up + down;
      return up - down;
    } else if constexpr (kKind == CodeKind::kSigmoid) {
      const float s = reciprocal_fast(1.0F + exp2_fast(-kLog2e * (p + u.z)));
      return q < kFillingNorm ? A.x * s * (1.0F - s) : 0.0F;
    } else {
      return 0;
    }
  }
};

/// Calls body(CodeMap<kind>) for the kind at run time.
#pragma nv_exec_check_disable  // body is for the host where the host calls it
template <class Body>
__host__ __device__ __forceinline__ void with_code(CodeKind kind, bool folded, float scale,
                                                   int degree, Body body) {
  switch (kind) {
    case CodeKind::kGaussian:
      if (folded) return body(CodeMap<CodeKind::kGaussian, true>{scale, degree});
      return body(CodeMap<CodeKind::kGaussian>{scale, degree});
    case CodeKind::kInverseSquareDistance:
      return body(CodeMap<CodeKind::kInverseSquareDistance>{scale, degree});
    case CodeKind::kInverseDistance:
      return body(CodeMap<CodeKind::kInverseDistance>{scale, degree});
    case CodeKind::kTriangle:
      return body(CodeMap<CodeKind::kTriangle>{scale, degree});
    case CodeKind::kLinear:
      return body(CodeMap<CodeKind::kLinear>{scale, degree});
    case CodeKind::kAbs:
      return body(CodeMap<CodeKind::kAbs>{scale, degree});
    case CodeKind::kSoftAbs:
      return body(CodeMap<CodeKind::kSoftAbs>{scale, degree});
    case CodeKind::kPolynomial:
      return body(CodeMap<CodeKind::kPolynomial>{scale, degree});
    case CodeKind::kSoftThreshold:
      return body(CodeMap<CodeKind::kSoftThreshold>{scale, degree});
    case CodeKind::kSigmoid:
      return body(CodeMap<CodeKind::kSigmoid>{scale, degree});
  }
}

}  // namespace krica::device
