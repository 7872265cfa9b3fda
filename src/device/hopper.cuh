// SPDX-License-Identifier: BSD-3-Clause
//
// What the kernels need of Hopper (sm_90a): the warpgroup's tensor-core product with A in registers
// and B in shared memory, bulk copies, and barriers that count their bytes.
//
// Operands in shared memory lie as the hardware's unswizzled core matrices: 8 rows of 16 bytes
// after one another (128 bytes), the core matrices of 8 rows one after the other along k. A group
// of 8 rows of k values of b bytes so takes 8·k·b contiguous bytes, and any run of whole groups is
// an operand.
#pragma once

#include <cstdint>

namespace krica::device {

inline constexpr int kGroupRows = 8;    ///< rows of a core matrix
inline constexpr int kCoreBytes = 128;  ///< of a core matrix
inline constexpr int kWarpgroupThreads = 128;
inline constexpr int kTileAtoms = 64;  ///< rows of the warpgroup's product

template <int kColumns>
struct MmaTf32;  ///< d (64 × kColumns) (+)= a (64 × 8) b (8 × kColumns)
template <int kColumns>
struct MmaBf16;  ///< the same with k = 16
template <int kColumns>
struct MmaBf16Transposed;  ///< b's core matrices have k along their rows

#include "device/wgmma_shapes.inc"

/// Before the first product after registers were written.
__device__ __forceinline__ void mma_fence() {
  asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
}
__device__ __forceinline__ void mma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
}
/// Waits until no more than kLeft of the commits are under way; the results of the others may be
/// read then, and not before.
template <int kLeft, int kCount>
__device__ __forceinline__ void mma_wait(float (&d)[kCount]) {
  asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(kLeft) : "memory");
#pragma unroll
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// The hardware's description of an operand: `along_k` bytes between core matrices that follow one
/// another in k, `along_n` between those that follow in n (or in the rows, if you like).
class Descriptor {
 public:
  __device__ __forceinline__ Descriptor(std::uint32_t address, std::uint32_t along_k,
                                        std::uint32_t along_n)
      : low_(address >> 4 | along_k >> 4 << 16), high_(along_n >> 4) {}
  /// That of the operand so many bytes behind.
  [[nodiscard]] __device__ __forceinline__ std::uint64_t at(std::uint32_t bytes) const {
    return static_cast<std::uint64_t>(high_) << 32 | (low_ + (bytes >> 4));
  }

 private:
  std::uint32_t low_;
  std::uint32_t high_;
};

/// Makes ordinary stores to shared memory visible to the tensor cores; then a barrier.
__device__ __forceinline__ void fence_for_mma() {
  asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
}

__device__ __forceinline__ void barrier_init(std::uint64_t* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}
__device__ __forceinline__ void barrier_init_done() {
  asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
}
/// Arrives, and lets the phase end when so many bytes have come too.
__device__ __forceinline__ void barrier_expect(std::uint64_t* barrier, std::uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}
__device__ __forceinline__ void barrier_wait(std::uint64_t* barrier, std::uint32_t parity) {
  asm volatile(
      "{\n.reg .pred p;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@p bra done;\n"
      "bra again;\n"
      "done:\n}\n" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}
/// Copies bytes (a multiple of 16, addresses too) and counts them at the barrier.
__device__ __forceinline__ void bulk_copy(void* to_shared, const void* from, std::uint32_t bytes,
                                          std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n" ::
          "r"(shared_address(to_shared)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

__device__ __forceinline__ float round_to_tf32(float x) {
  std::uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;\n" : "=r"(bits) : "f"(x));
  return __uint_as_float(bits);
}

/// Two bf16 in a register, `low` at the lower address.
__device__ __forceinline__ std::uint32_t pack_bf16(float low, float high) {
  std::uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;\n" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}
__device__ __forceinline__ float low_bf16(std::uint32_t packed) {
  return __uint_as_float(packed << 16);
}
__device__ __forceinline__ float high_bf16(std::uint32_t packed) {
  return __uint_as_float(packed & 0xFFFF0000U);
}

/// All threads of one warpgroup; `id` 1 ... 15.
__device__ __forceinline__ void warpgroup_barrier(int id) {
  asm volatile("bar.sync %0, 128;\n" ::"r"(id) : "memory");
}

}  // namespace krica::device
