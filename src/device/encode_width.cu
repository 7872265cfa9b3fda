// SPDX-License-Identifier: BSD-3-Clause
//
// The kernels for patches of KRICA_WIDTH values (a width of operand_layout.hpp); compiled once for
// each.
#include <type_traits>

#include "device/check_cuda.hpp"
#include "device/pooled_encoder_parts.cuh"

namespace krica::device {

template <int kWidth>
EncodeKernel encode_kernel_of(Operand operand);
template <int kWidth>
void launch_preprocess_of(const PreprocessArgs& args, int processors, int shared_limit,
                          Stream stream);

namespace {

template <class Kernel>
void allow_shared(Kernel kernel, std::size_t bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)),
        "shared memory");
}

template <Operand kOperand, int kWidth, int kColumns, int kWarpgroups>
EncodeKernel kernel_of() {
  using Shape = EncodeShape<kOperand, kWidth, kColumns, kWarpgroups>;
  return {kColumns, kWarpgroups, Shape::shared_bytes,
          [](const EncodeArgs& args, int blocks, std::size_t shared, Stream stream) {
            with_code(args.kind, args.folded, args.scale, args.degree, [&](const auto& map) {
              using Map = std::remove_cvref_t<decltype(map)>;
              const auto kernel = encode_pool_kernel<kOperand, kWidth, kColumns, kWarpgroups, Map>;
              allow_shared(kernel, shared);
              kernel<<<blocks, Shape::kThreads, shared, stream>>>(args);
            });
            check(cudaGetLastError(), "encoding");
          }};
}

}  // namespace

// Columns of a chunk, and warpgroups: what registers allow. A thread holds the atoms (width/2
// values in tf32, a quarter in bf16, twice that where split) and two chunks' products (columns).
template <>
EncodeKernel encode_kernel_of<KRICA_WIDTH>(Operand operand) {
  constexpr bool kWide = KRICA_WIDTH > 128;
  switch (operand) {
    case Operand::kTf32:
      return kernel_of<Operand::kTf32, KRICA_WIDTH, 64, (kWide ? 2 : 3)>();
    case Operand::kBf16:
      return kernel_of<Operand::kBf16, KRICA_WIDTH, 64, (kWide ? 3 : 4)>();
    case Operand::kTf32Split:
      return kernel_of<Operand::kTf32Split, KRICA_WIDTH, (kWide ? 32 : 64), 2>();
    default:
      return kernel_of<Operand::kBf16Split, KRICA_WIDTH, 64, (kWide ? 2 : 3)>();
  }
}

template <>
void launch_preprocess_of<KRICA_WIDTH>(const PreprocessArgs& given, int processors,
                                       int shared_limit, Stream stream) {
  PreprocessArgs args = given;
  args.image_in_shared = 1;
  if (preprocess_shared_bytes(args, KRICA_WIDTH) > static_cast<std::size_t>(shared_limit))
    args.image_in_shared = 0;
  const std::size_t shared = preprocess_shared_bytes(args, KRICA_WIDTH);
  allow_shared(preprocess_kernel<KRICA_WIDTH>, shared);
  int each = 0;
  check(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(
          &each, preprocess_kernel<KRICA_WIDTH>, kPreprocessWarpgroups * kWarpgroupThreads, shared),
      "occupancy");
  const int blocks = processors * each;
  const int most_parts =
      (args.rows + 64 * kPreprocessWarpgroups - 1) / (64 * kPreprocessWarpgroups);
  const int x = args.image_count < blocks ? args.image_count : blocks;
  int y = blocks / x;
  if (y > most_parts) y = most_parts;
  preprocess_kernel<KRICA_WIDTH>
      <<<dim3(x, y), kPreprocessWarpgroups * kWarpgroupThreads, shared, stream>>>(args);
  check(cudaGetLastError(), "preprocessing");
}

}  // namespace krica::device
