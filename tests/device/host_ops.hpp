// SPDX-License-Identifier: BSD-3-Clause
//
// The operations of device/conv_passes.hpp in plain loops: what the kernels compute, without a GPU.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "device/blas.hpp"

namespace krica::device {

/// Like DeviceArray; what was never written is NaN.
template <class Value>
class HostArray {
 public:
  HostArray() = default;
  explicit HostArray(const std::vector<Value>& values) : values_(values) {}

  void fit(std::size_t size) {
    if (size > values_.size()) values_.assign(size, std::numeric_limits<Value>::quiet_NaN());
  }
  void assign(const std::vector<Value>& values) { values_ = values; }
  [[nodiscard]] const std::vector<Value>& values() const { return values_; }
  [[nodiscard]] Value* data() { return values_.data(); }
  [[nodiscard]] const Value* data() const { return values_.data(); }

 private:
  std::vector<Value> values_;
};

struct HostOps {
  template <class Value>
  using Array = HostArray<Value>;

  int bits = 24;  ///< of the factors of products: 11 for tf32, 8 for bf16

  /// From the last to the first: steps may not depend on their order.
  template <class Step>
  void each(int rows, int columns, const Step& step) {
    for (int row = rows; row-- > 0;) {
      for (int column = columns; column-- > 0;) step(row, column);
    }
  }

  void product(ProductSize size, Op left, ConstDeviceMatrix a, Op right, ConstDeviceMatrix b,
               DeviceMatrix c, float beta) const {
    const auto entry = [&](const ConstDeviceMatrix& matrix, Op op, int row, int col) {
      const bool plain = op == Op::kPlain;
      return rounded(matrix.data[static_cast<std::ptrdiff_t>(plain ? row : col) * matrix.stride +
                                 (plain ? col : row)]);
    };
    for (int i = 0; i < size.rows; ++i) {
      for (int j = 0; j < size.cols; ++j) {
        double sum = 0;
        for (int k = 0; k < size.inner; ++k) sum += entry(a, left, i, k) * entry(b, right, k, j);
        float& to = c.data[static_cast<std::ptrdiff_t>(i) * c.stride + j];
        to = static_cast<float>(beta == 0 ? sum : sum + static_cast<double>(beta * to));
      }
    }
  }

 private:
  [[nodiscard]] double rounded(float value) const {
    int exponent = 0;
    const double fraction = std::frexp(static_cast<double>(value), &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
  }
};

}  // namespace krica::device
