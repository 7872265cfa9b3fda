// SPDX-License-Identifier: BSD-3-Clause
//
// The power φ of pooled codes and its slope (features/pool_power.hpp).
#pragma once

#include <cuda_runtime.h>

#include <cmath>

namespace krica::device {

class PoolPower {
 public:
  explicit PoolPower(double power)
      : power_(static_cast<float>(power)), mirror_(2 * static_cast<float>(std::pow(1e-6, power))) {}

  /// φ(z).
  __device__ float of(float z) const {
    if (power_ == 1) return z;
    const float raised = raise(fabsf(z) + kShift);
    return z < 0 ? mirror_ - raised : raised;
  }
  __device__ float slope(float z) const {
    if (power_ == 1) return 1;
    const float base = fabsf(z) + kShift;
    return __fdividef(power_ * raise(base), base);
  }

 private:
  static constexpr float kShift = 1e-6F;  // δ
  /// Rounded to about 20 bits: exact functions branch, and loads would wait for each other.
  __device__ float raise(float base) const {
    if (power_ != 0.5F) return __powf(base, power_);
    float root;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(base));
    return root;
  }

  float power_;
  float mirror_;
};

}  // namespace krica::device
