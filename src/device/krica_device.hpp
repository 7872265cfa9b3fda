// SPDX-License-Identifier: BSD-3-Clause
//
// KricaDevice: value and gradient of kernel reconstruction ICA on a GPU,
//
//   f(W) = 1/m Σ_i [ ρ (κ(x_i,x_i) + s_i G s_iᵀ - 2 s_i s_iᵀ) + λ Σ_u sqrt(ε + s_iu²) ],
//
// S_iu = κ(w_u, x_i), G_uv = κ(w_u, w_v), as objectives/krica.hpp without pooling or classes.
// Blocks of samples at a time: S = κ(X Wᵀ), T = S G, M = ∂f/∂S ∘ slopes, C += SᵀS, D += Mᵀ[X 1],
// the products by cuBLAS (3 m K² + 4 m K n operations of a multiplication and addition); then the
// part through G, which has 2ρ C ∘ slopes for M and the atoms for samples. Values are summed in
// double in a fixed order.
#pragma once

#include <cstdint>
#include <memory>

#include "device/mercer.hpp"
#include "device/products.hpp"

namespace krica::device {

struct KricaDeviceOptions {
  Mercer kernel = {};
  float sparsity = 0.01F;
  float epsilon = 1e-4F;
  float reconstruction = 1;
  Products products = Products::kTf32;  ///< of products; W Wᵀ is always in float32
  int block_rows = 32768;               ///< samples at a time
  bool products_only = false;           ///< for timing cuBLAS alone; results are meaningless
};

/// What KricaDevice's constructor checks before it looks for a device.
void require_usable(std::int64_t samples, int n, int atoms, const KricaDeviceOptions& options);

class KricaDevice {
 public:
  /// X: samples × n, on the host or the device; kept as a copy on the device. Throws
  /// InvalidArgument for sizes below 1, and DeviceError: kNoDevice, kOutOfMemory, kFailed, and
  /// kUnsupported for polynomials of even degree, whose slope κ alone does not tell.
  KricaDevice(const float* X, std::int64_t samples, int n, int atoms,
              const KricaDeviceOptions& options);
  ~KricaDevice();
  KricaDevice(const KricaDevice&) = delete;
  KricaDevice& operator=(const KricaDevice&) = delete;

  /// W and gradient: atoms × n on the device. Waits for the value. Throws DeviceError (kFailed).
  double value_and_gradient(const float* W, float* gradient);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace krica::device
