// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "device/check_cuda.hpp"
#include "device/pool_power.cuh"
#include "device/pool_power.hpp"

namespace krica::device {
namespace {

__global__ void power_kernel(PoolPower power, float* values, std::size_t count) {
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x)
    values[i] = power.of(values[i]);
}

}  // namespace

void raise_to_power(double power, float* values, std::size_t count, Stream stream) {
  if (count == 0 || power == 1) return;
  const auto blocks = static_cast<unsigned>(std::min<std::size_t>((count + 255) / 256, 8192));
  power_kernel<<<blocks, 256, 0, stream>>>(PoolPower(power), values, count);
  check(cudaGetLastError(), "power");
}

}  // namespace krica::device
