// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel of pool_backward.cuh for an operand and a width, as a launcher.
#pragma once

#include "device/pool_backward.cuh"
#include "device/stream.hpp"

namespace krica::device {

struct BackwardKernel {
  int warpgroups = 0;
  std::size_t (*shared_bytes)(int stages) = nullptr;
  void (*launch)(const BackwardArgs& args, dim3 blocks, std::size_t shared, Stream) = nullptr;
};
/// Throws DeviceError (kUnsupported).
BackwardKernel backward_kernel(Operand operand, int width);

}  // namespace krica::device
