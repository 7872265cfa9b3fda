// SPDX-License-Identifier: BSD-3-Clause
//
// PooledGradient: the way back of PooledEncoder, for training atoms by what their features are good
// for (src/joint). From Q = ∂L/∂features of the images that the encoder read last:
//
//   ∂L/∂w_u, and ∂L/∂log γ_u, ∂L/∂t_u or ∂L/∂b_u        (pool_backward.cuh, code_math.cuh)
//
// The encoder's precision must be bf16x3 or bf16; the sums Σ m x are of m and x in bf16 either way,
// so a gradient has an error of about 1e-3 of itself and more where its terms cancel. The same bits
// in every run.
#pragma once

#include <memory>

#include "device/pooled_encoder.hpp"

namespace krica::device {

class PooledGradient {
 public:
  /// Keeps the encoder. Throws DeviceError: kUnsupported for its precision or code (the triangle).
  PooledGradient(const PooledEncoder& encoder, const PoolSpec& pool);
  ~PooledGradient();

  /// Q: images × features of the encoder's batch. gradient: atoms × values; gradient_shapes: atoms,
  /// or null. All on the device. Overwrites them. Throws DeviceError: kOutOfMemory, kFailed.
  void run(const float* Q, float* gradient, float* gradient_shapes, Stream stream = nullptr);

 private:
  struct Parts;
  const PooledEncoder& encoder_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace krica::device
