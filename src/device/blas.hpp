// SPDX-License-Identifier: BSD-3-Clause
//
// Matrix products by cuBLAS, which is loaded at run time when the first product is wanted: programs
// that use no GPU neither need it nor pay for loading it. Products have the same bits in every run
// on the same kind of device.
#pragma once

#include <memory>

#include "device/products.hpp"
#include "device/stream.hpp"

namespace krica::device {

enum class Op { kPlain, kTransposed };

/// A matrix on the device, row by row; rows are `stride` values apart.
struct DeviceMatrix {
  float* data = nullptr;
  int stride = 0;
};
struct ConstDeviceMatrix {
  const float* data = nullptr;
  int stride = 0;

  ConstDeviceMatrix(const float* values, int row_stride) : data(values), stride(row_stride) {}
  ConstDeviceMatrix(const DeviceMatrix& matrix) : data(matrix.data), stride(matrix.stride) {}
};

struct ProductSize {
  int rows = 0;   ///< of C and op(A)
  int cols = 0;   ///< of C and op(B)
  int inner = 0;  ///< columns of op(A), rows of op(B)
};

/// Throws DeviceError (kNoDevice) if cuBLAS is not installed. Blas::current() calls it, too.
void load_blas();

class Blas {
 public:
  /// Of the calling thread's current device; all threads share it. Throws DeviceError: kNoDevice if
  /// cuBLAS is not installed, kOutOfMemory, kFailed.
  static Blas& current();
  ~Blas();

  /// C = alpha op(A) op(B) + beta C, queued on the stream. Throws DeviceError (kFailed).
  void product(Products products, ProductSize size, Op left, ConstDeviceMatrix A, Op right,
               ConstDeviceMatrix B, DeviceMatrix C, float alpha = 1, float beta = 0,
               Stream stream = nullptr);

 private:
  Blas();
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace krica::device
