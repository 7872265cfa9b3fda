// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "device/check_cuda.hpp"
#include "device/pool_power.hpp"

namespace krica::device {
namespace {

constexpr float kDelta = 1e-6F;  // as in features/pool_power.cpp

__global__ void power_kernel(float power, float mirror, float* values, float* slopes,
                             std::size_t count) {
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    if (power == 1) {
      slopes[i] = 1;
      continue;
    }
    const float z = values[i];
    const float base = fabsf(z) + kDelta;
    const float raised = power == 0.5F ? sqrtf(base) : powf(base, power);
    values[i] = z >= 0 ? raised : mirror - raised;
    if (slopes != nullptr) slopes[i] = power * raised / base;
  }
}

}  // namespace

void raise_to_power(double power, float* values, float* slopes, std::size_t count, Stream stream) {
  if (count == 0 || (power == 1 && slopes == nullptr)) return;
  const auto blocks = static_cast<unsigned>(std::min<std::size_t>((count + 255) / 256, 8192));
  power_kernel<<<blocks, 256, 0, stream>>>(static_cast<float>(power),
                                           2 * powf(kDelta, static_cast<float>(power)), values,
                                           slopes, count);
  check(cudaGetLastError(), "power");
}

}  // namespace krica::device
