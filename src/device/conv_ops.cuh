// SPDX-License-Identifier: BSD-3-Clause
//
// The operations of conv_passes.hpp on the current GPU, one after the other on its default stream.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/blas.hpp"
#include "device/check_cuda.hpp"
#include "device/device_memory.hpp"
#include "device/launch.cuh"

namespace krica::device {

/// Calls step(row, column): a warp takes neighbouring columns of a row.
template <class Step>
static __global__ void __launch_bounds__(kThreads)
    each_kernel(const Step step, int rows, int columns) {
  const std::int64_t across = static_cast<std::int64_t>(gridDim.x) * kWarp;
  const std::int64_t down = static_cast<std::int64_t>(gridDim.y) * kWarps;
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * kWarps + threadIdx.x / kWarp;
       row < rows; row += down) {
    for (std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kWarp + threadIdx.x % kWarp;
         column < columns; column += across)
      step(static_cast<int>(row), static_cast<int>(column));
  }
}

struct DeviceOps {
  template <class Value>
  using Array = DeviceArray<Value>;

  Products products = Products::kTf32;

  template <class Step>
  void each(int rows, int columns, const Step& step) {
    if (rows == 0 || columns == 0) return;
    const unsigned most = kLargestGrid;
    const dim3 grid(std::min(blocks_for(static_cast<std::size_t>(columns), kWarp), most),
                    std::min(blocks_for(static_cast<std::size_t>(rows), kWarps), most));
    each_kernel<<<grid, kThreads>>>(step, rows, columns);
    check(cudaGetLastError(), "convolutional layer");
  }

  void product(ProductSize size, Op left, ConstDeviceMatrix a, Op right, ConstDeviceMatrix b,
               DeviceMatrix c, float beta) {
    Blas::current().product(products, size, left, a, right, b, c, 1, beta);
  }
};

}  // namespace krica::device
