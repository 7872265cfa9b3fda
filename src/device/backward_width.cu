// SPDX-License-Identifier: BSD-3-Clause
//
// The way back for patches of KRICA_WIDTH values; compiled once for each width.
#include "device/backward_kernel.cuh"
#include "device/check_cuda.hpp"
#include "device/device_error.hpp"

namespace krica::device {

template <int kWidth>
BackwardKernel backward_kernel_of(Operand operand);

namespace {

template <Operand kOperand, int kWidth, int kColumns, int kWarpgroups>
BackwardKernel kernel_of() {
  return {kWarpgroups, BackwardBlock<kOperand, kWidth, kColumns, kWarpgroups>::shared_bytes,
          [](const BackwardArgs& args, dim3 blocks, std::size_t shared, Stream stream) {
            const auto kernel = pool_backward_kernel<kOperand, kWidth, kColumns, kWarpgroups>;
            check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(shared)),
                  "shared memory");
            kernel<<<blocks, kWarpgroups * kWarpgroupThreads, shared, stream>>>(args);
            check(cudaGetLastError(), "gradient");
          }};
}

}  // namespace

template <>
BackwardKernel backward_kernel_of<KRICA_WIDTH>(Operand operand) {
  if (operand == Operand::kBf16) return kernel_of<Operand::kBf16, KRICA_WIDTH, 64, 2>();
#if KRICA_WIDTH <= 128
  if (operand == Operand::kBf16Split) return kernel_of<Operand::kBf16Split, KRICA_WIDTH, 64, 2>();
#endif
  throw DeviceError(Trouble::kUnsupported,
                    "[device] no gradient kernel for this precision and width");
}

}  // namespace krica::device
