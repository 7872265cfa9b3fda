// SPDX-License-Identifier: BSD-3-Clause
//
// HingeSums: what the linear SVM sums over its samples (classify/squared_hinge.hpp), on a GPU that
// holds the features Z (m×F):
//
//   loss = Σ_i a_i Σ_c max(0, 1 - y_ic (w_c·z_i + b_c))²     and its gradient in w and b
//
// Products are in float32, whatever the precision: a pass is bound by reading Z. Sums have one
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "device/twin_samples.hpp"

namespace krica::device {

class HingeSums {
 public:
  HingeSums() = default;
  HingeSums(const HingeSums&) = delete;
  HingeSums& operator=(const HingeSums&) = delete;
  virtual ~HingeSums() = default;

  /// The loss of a range of the samples for W (classes × (F + 1), the bias last, contiguous, on the
  /// host) with their weights a; overwrites the gradient, of W's shape, unless it is null. Throws
  /// DeviceError.
  virtual double evaluate(SampleRange range, std::span<const float> sample_weights, const float* W,
                          float* gradient) = 0;

  /// gram = scale ZᵀZ of the columns first ... first + count - 1, of every step-th row, the first
  /// `rows` of these. count × count on the host.
  virtual void gram(int first, int count, int rows, int step, float scale, float* gram) = 0;

  std::int64_t groups = 1;  ///< of consecutive samples, which ranks share; evaluated one by one
};

struct SampleMatrix {
  const float* data = nullptr;  ///< on the host
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t stride = 0;
};

/// Bytes that it holds on the device.
std::size_t hinge_bytes(std::int64_t rows, std::int64_t cols, int classes);

/// Copies Z and the labels to the current device. Throws DeviceError.
std::unique_ptr<HingeSums> make_hinge_sums(const SampleMatrix& Z, std::span<const int> labels,
                                           int classes);

}  // namespace krica::device
