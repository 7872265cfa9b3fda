// SPDX-License-Identifier: BSD-3-Clause
//
// Codes of all positions with all atoms, summed over zones of positions; no code is ever stored.
//
// A block keeps a tile of positions (several chunks of kColumns) in shared memory and goes through
// all atoms. Each of its warpgroups takes every kWarpgroups-th tile of 64 atoms: A, the atoms, in
// registers, straight from device memory (packed in the order of the registers); B, a chunk of
// positions, in shared memory; the product, 64 atoms × kColumns positions, in registers. A thread
// holds two atoms and a quarter of the columns, so it maps its values to codes and adds them up by
// itself; only where a zone ends four lanes add their sums, always in the same order. Two chunks
// are under way at a time: while one is mapped, the tensor cores work on the next.
//
// Positions come zone by zone, each zone filled up to whole groups of 8 columns. A zone that is cut
// by the end of a tile gives several partial sums; these are the `slots` of an image. Blocks are
// persistent; when the last warp is done with a chunk it fetches the same chunk of the block's next
// tile.
//
// The triangle code needs a position's mean distance to all atoms first: a pass of its own over the
// atoms, with sums over atoms in shared memory.
#pragma once

#include "device/code_math.cuh"
#include "device/hopper.cuh"
#include "device/operand_layout.hpp"
#include "device/tile_plan.hpp"

namespace krica::device {

struct EncodeArgs {
  const std::uint8_t* patches;     ///< images × rows of 8 positions (operand_layout.hpp)
  const float* squared_norms;      ///< images × rows
  const uint4* atoms;              ///< tiles of 64 × k-steps × 128 threads
  const AtomConstants* constants;  ///< tiles of 64
  const ChunkZones* zones;         ///< tiles × chunks, of any image
  float* sums;                     ///< images × slots × channels
  int images;
  int tiles;   ///< of an image
  int chunks;  ///< of a tile
  int slots;
  int atom_count;
  CodeKind kind;
  float scale;
  int degree;
  bool folded;  ///< code_math.cuh
};

template <Operand kOperand, int kWidth, int kColumns, int kWarpgroups>
struct EncodeShape {
  static constexpr int kStepValues = is_bf16(kOperand) ? 16 : 8;
  static constexpr int kSteps = kWidth / kStepValues;        ///< of k, in one part
  static constexpr int kParts = is_split(kOperand) ? 2 : 1;  ///< high and low
  static constexpr int kGroup = group_bytes(kOperand, kWidth);
  static constexpr int kChunkBytes = kColumns / 8 * kGroup;
  static constexpr int kThreads = kWarpgroups * kWarpgroupThreads;
  static constexpr int kMostChunks = 16;

  /// Shared memory: chunks, their squared norms, mean distances and sums over atoms, barriers.
  static constexpr std::size_t shared_bytes(int chunks, bool means) {
    return static_cast<std::size_t>(chunks) *
               (kChunkBytes + 4 * kColumns * (means ? 2 + 4 * kWarpgroups : 1)) +
           kMostChunks * 12;
  }
};

/// Map: the CodeMap. There is a kernel for each, as nothing may seem to diverge while products are
/// under way.
template <Operand kOperand, int kWidth, int kColumns, int kWarpgroups, class Map>
class EncodeBlock {
  using Shape = EncodeShape<kOperand, kWidth, kColumns, kWarpgroups>;
  static constexpr int kGroups = kColumns / 8;
  static constexpr bool kTriangle = Map::kKind == CodeKind::kTriangle;
  static constexpr int kOutputs = channels_per_atom(Map::kKind);

 public:
  __device__ __forceinline__ EncodeBlock(const EncodeArgs& args, std::uint8_t* shared)
      : args_(args) {
    chunks_ = shared;
    norms_ = reinterpret_cast<float*>(shared + args.chunks * Shape::kChunkBytes);
    float* end = norms_ + args.chunks * kColumns;
    if constexpr (kTriangle) {
      means_ = end;
      atom_sums_ = means_ + args.chunks * kColumns;
      end = atom_sums_ + 4 * kWarpgroups * args.chunks * kColumns;
    }
    full_ = reinterpret_cast<std::uint64_t*>(end);
    released_ = reinterpret_cast<int*>(full_ + Shape::kMostChunks);
    warpgroup_ = __shfl_sync(0xFFFFFFFFU, threadIdx.x / kWarpgroupThreads, 0);
    warp_ = threadIdx.x / 32 % 4;
    lane_ = threadIdx.x % 32;
    atom_tiles_ = (args.atom_count + kTileAtoms - 1) / kTileAtoms;
    channels_ = args.atom_count * kOutputs;
  }

  __device__ __forceinline__ void run() {
    const int items = args_.images * args_.tiles;
    if (threadIdx.x == 0) {
      for (int c = 0; c < args_.chunks; ++c) {
        barrier_init(full_ + c, 1);
        released_[c] = 0;
      }
      barrier_init_done();
    }
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x < items) {
      for (int c = 0; c < args_.chunks; ++c) fetch(blockIdx.x, c);
    }
    if (warpgroup_ < atom_tiles_) load_atoms(warpgroup_);
    unsigned parity = 0;
    for (int item = blockIdx.x; item < items; item += gridDim.x, parity ^= 1) {
      item_ = item;
      zones_ = args_.zones + item % args_.tiles * args_.chunks;
      if constexpr (kTriangle) {
        pass<true>(parity);
        average_distances();
      }
      pass<false>(parity);
    }
  }

 private:
  /// Fetches chunk c of work item `item`. One thread.
  __device__ void fetch(int item, int c) {
    const std::size_t chunk = static_cast<std::size_t>(item) * args_.chunks + c;
    barrier_expect(full_ + c, Shape::kChunkBytes + kColumns * 4);
    bulk_copy(chunks_ + c * Shape::kChunkBytes, args_.patches + chunk * Shape::kChunkBytes,
              Shape::kChunkBytes, full_ + c);
    bulk_copy(norms_ + c * kColumns, args_.squared_norms + chunk * kColumns, kColumns * 4,
              full_ + c);
  }

  /// This warp is done with chunk c; the last warp fetches the next.
  __device__ void release(int c) {
    __syncwarp();
    if (lane_ != 0) return;
    __threadfence_block();
    const int warps = 4 * min(kWarpgroups, atom_tiles_);
    if (atomicAdd(released_ + c, 1) != warps - 1) return;
    released_[c] = 0;
    __threadfence_block();
    const int next = item_ + gridDim.x;
    if (next < args_.images * args_.tiles) fetch(next, c);
  }

  __device__ __forceinline__ void load_atoms(int tile) {
    const uint4* from =
        args_.atoms +
        static_cast<std::size_t>(tile) * Shape::kParts * Shape::kSteps * kWarpgroupThreads +
        threadIdx.x % kWarpgroupThreads;
#pragma unroll
    for (int s = 0; s < Shape::kParts * Shape::kSteps; ++s) {
      const uint4 four = __ldg(from + s * kWarpgroupThreads);
      a_[s][0] = four.x;
      a_[s][1] = four.y;
      a_[s][2] = four.z;
      a_[s][3] = four.w;
    }
    const int atom = tile * kTileAtoms + warp_ * 16 + lane_ / 4;
    u_[0] = __ldg(args_.constants + atom);
    u_[1] = __ldg(args_.constants + atom + 8);
  }

  /// Queues d = atoms · chunk c.
  __device__ __forceinline__ void multiply(int c, float (&d)[kColumns / 2]) {
    const Descriptor b(shared_address(chunks_) + c * Shape::kChunkBytes, kCoreBytes, Shape::kGroup);
    mma_fence();
#pragma unroll
    for (int s = 0; s < Shape::kSteps; ++s) {
      step(d, a_[s], b.at(s * 2 * kCoreBytes), s > 0);
      if constexpr (Shape::kParts == 2) {  // high·high + low·high + high·low
        step(d, a_[Shape::kSteps + s], b.at(s * 2 * kCoreBytes), 1);
        step(d, a_[s], b.at(s * 2 * kCoreBytes + part_bytes(kOperand, kWidth)), 1);
      }
    }
    mma_commit();
  }
  static __device__ __forceinline__ void step(float (&d)[kColumns / 2], const unsigned (&a)[4],
                                              std::uint64_t b, int add) {
    if constexpr (is_bf16(kOperand)) {
      MmaBf16<kColumns>::run(d, a, b, add);
    } else {
      MmaTf32<kColumns>::run(d, a, b, add);
    }
  }

  /// All atoms with the tile of positions. kMeans: only sums of distances over atoms.
  template <bool kMeans>
  __device__ __forceinline__ void pass(unsigned parity) {
    for (int tile = warpgroup_; tile < atom_tiles_; tile += kWarpgroups)
      pass_tile<kMeans>(tile, parity);
  }

  /// One tile of atoms with all chunks: while one chunk's products are mapped, the next's are
  /// computed.
  template <bool kMeans>
  __device__ __forceinline__ void pass_tile(int tile, unsigned parity) {
    const bool waits = tile == warpgroup_;
    const AtomConstants u[2] = {u_[0], u_[1]};
    float sums[2][2] = {{0, 0}, {0, 0}};
    float even[kColumns / 2];
    float odd[kColumns / 2];
    if (waits) barrier_wait(full_, parity);
    multiply(0, even);
    const int next = tile + kWarpgroups < atom_tiles_ ? tile + kWarpgroups : warpgroup_;
    for (int c = 0;; c += 2) {
      if (c + 1 == args_.chunks) {
        mma_wait<0>(even);
        load_atoms(next);
        map_chunk<kMeans>(c, tile, u, even, sums);
        return;
      }
      if (waits) barrier_wait(full_ + c + 1, parity);
      multiply(c + 1, odd);
      mma_wait<1>(even);
      map_chunk<kMeans>(c, tile, u, even, sums);
      if (c + 2 == args_.chunks) {
        mma_wait<0>(odd);
        load_atoms(next);
        map_chunk<kMeans>(c + 1, tile, u, odd, sums);
        return;
      }
      if (waits) barrier_wait(full_ + c + 2, parity);
      multiply(c + 2, even);
      mma_wait<1>(odd);
      map_chunk<kMeans>(c + 1, tile, u, odd, sums);
    }
  }

  template <bool kMeans>
  __device__ __forceinline__ void map_chunk(int c, int tile, const AtomConstants (&u)[2],
                                            const float (&d)[kColumns / 2], float (&sums)[2][2]) {
    if constexpr (kMeans) {
      add_distances(c, tile == warpgroup_, u, d);
    } else {
      const int2 zones = __ldg(reinterpret_cast<const int2*>(zones_ + c));
      add_codes(c, tile, {__shfl_sync(0xFFFFFFFFU, static_cast<unsigned>(zones.x), 0), zones.y}, u,
                d, sums);
      if (tile + kWarpgroups >= atom_tiles_) release(c);
    }
  }

  __device__ __forceinline__ void add_codes(int c, int tile, ChunkZones zones,
                                            const AtomConstants (&u)[2],
                                            const float (&d)[kColumns / 2], float (&sums)[2][2]) {
    const Map map = {args_.scale, args_.degree};
    const float2* norms = reinterpret_cast<const float2*>(norms_ + c * kColumns) + lane_ % 4;
    const float2* means = reinterpret_cast<const float2*>(means_ + c * kColumns) + lane_ % 4;
    float codes[kOutputs][kGroups][2];  // of a group's two columns: sums for each atom
#pragma unroll
    for (int j = 0; j < kGroups; ++j) {
      float2 q = {0, 0};
      if constexpr (!Map::kFolded) q = norms[4 * j];
      float2 mean = {0, 0};
      if constexpr (kTriangle) mean = means[4 * j];
#pragma unroll
      for (int output = 0; output < kOutputs; ++output) {
#pragma unroll
        for (int row = 0; row < 2; ++row)
          codes[output][j][row] = map.value(d[4 * j + 2 * row], q.x, mean.x, u[row], output) +
                                  map.value(d[4 * j + 2 * row + 1], q.y, mean.y, u[row], output);
      }
    }
    // Zone by zone without branches in between, so that additions need not wait for one another.
    unsigned rest = (1ULL << kGroups) - 1;  // groups still to be added
    while (true) {
      const unsigned zone = zones.ends == 0 ? rest : rest & (zones.ends ^ (zones.ends - 1));
#pragma unroll
      for (int output = 0; output < kOutputs; ++output) {
        float part[2][2] = {{0, 0}, {0, 0}};  // of even and of odd groups
#pragma unroll
        for (int j = 0; j < kGroups; ++j) {
          if (zone >> j & 1U) {
            part[j % 2][0] += codes[output][j][0];
            part[j % 2][1] += codes[output][j][1];
          }
        }
        sums[output][0] += part[0][0] + part[1][0];
        sums[output][1] += part[0][1] + part[1][1];
      }
      if (zones.ends == 0) break;
#pragma unroll
      for (int output = 0; output < kOutputs; ++output)
        store(tile, zones.first_slot, output, sums[output]);
      ++zones.first_slot;
      zones.ends &= zones.ends - 1;
      rest &= ~zone;
      if (rest == 0) break;
    }
  }

  /// Adds up the four lanes of a quad and stores the sums of its two atoms; clears them. Even lanes
  /// go on with the first atom, odd ones with the second.
  __device__ __forceinline__ void store(int tile, int slot, int output, float (&sums)[2]) {
    const bool odd = lane_ % 2 == 1;
    float sum = odd ? sums[1] : sums[0];
    sum += __shfl_xor_sync(0xFFFFFFFFU, odd ? sums[0] : sums[1], 1);
    sum += __shfl_xor_sync(0xFFFFFFFFU, sum, 2);
    const int atom = tile * kTileAtoms + warp_ * 16 + lane_ / 4 + (odd ? 8 : 0);
    if (lane_ % 4 < 2 && atom < args_.atom_count) {
      const std::size_t image = item_ / args_.tiles;
      args_.sums[(image * args_.slots + slot) * channels_ + output * args_.atom_count + atom] = sum;
    }
    sums[0] = 0;
    sums[1] = 0;
  }

  /// Adds the distances of the warp's 16 atoms to its sums over atoms.
  __device__ __forceinline__ void add_distances(int c, bool first, const AtomConstants (&u)[2],
                                                const float (&d)[kColumns / 2]) {
    const float2* norms = reinterpret_cast<const float2*>(norms_ + c * kColumns) + lane_ % 4;
    float2* to = reinterpret_cast<float2*>(
                     atom_sums_ + ((4 * warpgroup_ + warp_) * args_.chunks + c) * kColumns) +
                 lane_ % 4;
#pragma unroll
    for (int j = 0; j < kGroups; ++j) {
      const float2 q = norms[4 * j];
      float2 sum = {0, 0};
#pragma unroll
      for (int row = 0; row < 2; ++row) {
        if (u[row].w == 0) continue;
        sum.x += sqrt_fast(squared_distance(d[4 * j + 2 * row], q.x, u[row]));
        sum.y += sqrt_fast(squared_distance(d[4 * j + 2 * row + 1], q.y, u[row]));
      }
#pragma unroll
      for (int mask = 4; mask <= 16; mask *= 2) {
        sum.x += __shfl_xor_sync(0xFFFFFFFFU, sum.x, mask);
        sum.y += __shfl_xor_sync(0xFFFFFFFFU, sum.y, mask);
      }
      if (lane_ < 4) {
        const float2 before = first ? float2{0, 0} : to[4 * j];
        to[4 * j] = {before.x + sum.x, before.y + sum.y};
      }
    }
  }

  /// Means over the atoms from the warps' sums.
  __device__ void average_distances() {
    __syncthreads();
    const int columns = args_.chunks * kColumns;
    const int warps = 4 * min(kWarpgroups, atom_tiles_);
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
      float sum = 0;
      for (int w = 0; w < warps; ++w) sum += atom_sums_[w * columns + i];
      means_[i] = sum / static_cast<float>(args_.atom_count);
    }
    __syncthreads();
  }

  const EncodeArgs& args_;
  std::uint8_t* chunks_;
  float* norms_;
  float* means_ = nullptr;
  float* atom_sums_ = nullptr;
  std::uint64_t* full_;
  int* released_;
  const ChunkZones* zones_ = nullptr;
  int warpgroup_;
  int warp_;
  int lane_;
  int atom_tiles_;
  int channels_;
  int item_ = 0;
  unsigned a_[Shape::kParts * Shape::kSteps][4];
  AtomConstants u_[2];
};

template <Operand kOperand, int kWidth, int kColumns, int kWarpgroups, class Map>
__global__ void __launch_bounds__(kWarpgroups* kWarpgroupThreads, 1)
    encode_pool_kernel(const __grid_constant__ EncodeArgs args) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  EncodeBlock<kOperand, kWidth, kColumns, kWarpgroups, Map>(args, shared).run();
}

}  // namespace krica::device
