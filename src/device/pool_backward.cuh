// SPDX-License-Identifier: BSD-3-Clause
//
// The gradient of pooled codes in the atoms: with A_pu = ∂L/∂(code u at position p), which is the
// same for all positions of a zone, and weights m_pu of code_math.cuh,
//
//   products_u = Σ_p m_pu x_p,   totals_u = Σ_p m_pu,   shapes_u
//
// Codes are computed again, a chunk of positions at a time, and never stored. Here the atoms stay:
// a warpgroup keeps 64 of them (and their products, 64 × width) in registers, and the block's
// images stream through shared memory in a ring of chunks. The first product's result, 64 atoms ×
// columns, has the layout of a second product's A operand, so m goes from registers to
//
//   products (64 × width) += m (64 × columns, bf16) · x (columns × width, bf16)
//
// with the same chunk as the (transposed) B operand. Warpgroups take turns at the tensor cores, so
// that one maps while the other multiplies; both products of a turn are queued together: the second
// of the last chunk and the first of this one.
//
// Blocks (x, y): atoms x, images of part y; the parts' sums are added in their order afterwards.
#pragma once

#include "device/encode_pool.cuh"

namespace krica::device {

struct BackwardArgs {
  const std::uint8_t* patches;  ///< as in EncodeArgs
  const float* squared_norms;
  const uint4* atoms;
  const AtomConstants* constants;
  const ChunkZones* zones;  ///< chunks of an image; first_slot is the first zone here
  const float* weights;     ///< A: images × zones × channels
  float* products;          ///< parts × atoms filled up to tiles × width
  float2* sums;             ///< parts × atoms filled up to tiles: totals, shapes
  int images;
  int chunks;  ///< of an image
  int zone_count;
  int stages;  ///< of the ring
  int atom_count;
  CodeKind kind;
  float scale;
  int degree;
  bool folded;
};

template <Operand kOperand, int kWidth, int kColumns, int kWarpgroups>
class BackwardBlock {
  using Shape = EncodeShape<kOperand, kWidth, kColumns, kWarpgroups>;
  static constexpr int kGroups = kColumns / 8;
  static constexpr int kZonesAhead = 4;  ///< of a chunk whose weights are fetched at its start
  static_assert(is_bf16(kOperand) && kGroups % 2 == 0);

 public:
  static constexpr int kMostStages = 8;
  static constexpr std::size_t shared_bytes(int stages) {
    return static_cast<std::size_t>(stages) * (Shape::kChunkBytes + 4 * kColumns) +
           kMostStages * 12;
  }

  __device__ BackwardBlock(const BackwardArgs& args, std::uint8_t* shared) : args_(args) {
    chunks_ = shared;
    norms_ = reinterpret_cast<float*>(shared + args.stages * Shape::kChunkBytes);
    full_ = reinterpret_cast<std::uint64_t*>(norms_ + args.stages * kColumns);
    released_ = reinterpret_cast<int*>(full_ + kMostStages);
    warpgroup_ = threadIdx.x / kWarpgroupThreads;
    warp_ = threadIdx.x / 32 % 4;
    lane_ = threadIdx.x % 32;
    atom_tiles_ = (args.atom_count + kTileAtoms - 1) / kTileAtoms;
    tile_ = blockIdx.x * kWarpgroups + warpgroup_;
    atom_ = tile_ * kTileAtoms + warp_ * 16 + lane_ / 4;
    channels_ = args.atom_count * channels_per_atom(args.kind);
    first_image_ = static_cast<int>(static_cast<long long>(args.images) * blockIdx.y / gridDim.y);
    const auto end =
        static_cast<int>(static_cast<long long>(args.images) * (blockIdx.y + 1) / gridDim.y);
    total_chunks_ = (end - first_image_) * args.chunks;
  }

  __device__ void run() {
    if (threadIdx.x == 0) {
      for (int s = 0; s < args_.stages; ++s) {
        barrier_init(full_ + s, 1);
        released_[s] = 0;
      }
      barrier_init_done();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int i = 0; i < min(args_.stages, total_chunks_); ++i) fetch(i, i);
    }
    if (warpgroup_ == kWarpgroups - 1) end_turn();
    if (tile_ < atom_tiles_) {
      go();
    } else {
      for (int i = 0; i <= total_chunks_; ++i) {
        begin_turn();
        end_turn();
      }
    }
  }

 private:
  __device__ void fetch(int i, int stage) {
    const std::size_t chunk = static_cast<std::size_t>(first_image_) * args_.chunks + i;
    barrier_expect(full_ + stage, Shape::kChunkBytes + kColumns * 4);
    bulk_copy(chunks_ + stage * Shape::kChunkBytes, args_.patches + chunk * Shape::kChunkBytes,
              Shape::kChunkBytes, full_ + stage);
    bulk_copy(norms_ + stage * kColumns, args_.squared_norms + chunk * kColumns, kColumns * 4,
              full_ + stage);
  }

  /// This warp is done with chunk i; the last warp fetches what comes into its stage next.
  __device__ void release(int i, int stage) {
    __syncwarp();
    if (lane_ != 0) return;
    __threadfence_block();
    const int warps =
        4 * min(kWarpgroups, atom_tiles_ - static_cast<int>(blockIdx.x) * kWarpgroups);
    if (atomicAdd(released_ + stage, 1) != warps - 1) return;
    released_[stage] = 0;
    __threadfence_block();
    if (i + args_.stages < total_chunks_) fetch(i + args_.stages, stage);
  }

  __device__ __forceinline__ void begin_turn() const {
    asm volatile("bar.sync %0, 256;\n" ::"r"(1 + warpgroup_) : "memory");
  }
  __device__ __forceinline__ void end_turn() const {
    const int next = warpgroup_ == kWarpgroups - 1 ? 0 : warpgroup_ + 1;
    asm volatile("bar.arrive %0, 256;\n" ::"r"(1 + next) : "memory");
  }

  __device__ __forceinline__ void load_atoms() {
    const uint4* from =
        args_.atoms +
        static_cast<std::size_t>(tile_) * Shape::kParts * Shape::kSteps * kWarpgroupThreads +
        threadIdx.x % kWarpgroupThreads;
#pragma unroll
    for (int s = 0; s < Shape::kParts * Shape::kSteps; ++s) {
      const uint4 four = __ldg(from + s * kWarpgroupThreads);
      a_[s][0] = four.x;
      a_[s][1] = four.y;
      a_[s][2] = four.z;
      a_[s][3] = four.w;
    }
    u_[0] = __ldg(args_.constants + atom_);
    u_[1] = __ldg(args_.constants + atom_ + 8);
  }

  /// d = atoms · chunk.
  __device__ __forceinline__ void multiply(int stage, float (&d)[kColumns / 2]) {
    const Descriptor b(shared_address(chunks_) + stage * Shape::kChunkBytes, kCoreBytes,
                       Shape::kGroup);
#pragma unroll
    for (int s = 0; s < Shape::kSteps; ++s) {
      MmaBf16<kColumns>::run(d, a_[s], b.at(s * 2 * kCoreBytes), s > 0);
      if constexpr (Shape::kParts == 2) {
        MmaBf16<kColumns>::run(d, a_[Shape::kSteps + s], b.at(s * 2 * kCoreBytes), 1);
        MmaBf16<kColumns>::run(d, a_[s], b.at(s * 2 * kCoreBytes + part_bytes(kOperand, kWidth)),
                               1);
      }
    }
  }
  /// products += m · chunk.
  __device__ __forceinline__ void multiply_back(int stage, const unsigned (&m)[kGroups / 2][4],
                                                float (&products)[kWidth / 2]) {
    const Descriptor b(shared_address(chunks_) + stage * Shape::kChunkBytes, Shape::kGroup,
                       kCoreBytes);
#pragma unroll
    for (int t = 0; t < kGroups / 2; ++t)
      MmaBf16Transposed<kWidth>::run(products, m[t], b.at(t * 2 * Shape::kGroup), 1);
  }

  __device__ void go() {
    load_atoms();
    unsigned m[kGroups / 2][4] = {};
    float products[kWidth / 2];
#pragma unroll
    for (float& product : products) product = 0;
    int stage = 0;
    int last = 0;
    unsigned parity = 0;
    int chunk = 0;
    int image = first_image_;
    for (int i = 0; i < total_chunks_; ++i) {
      const int2 two = __ldg(reinterpret_cast<const int2*>(args_.zones + chunk));
      const ChunkZones zones = {static_cast<unsigned>(two.x), two.y};
      float2 A[kZonesAhead][2];
      load_weights(image, zones, A);
      barrier_wait(full_ + stage, parity);
      float d[kColumns / 2];
      begin_turn();
      mma_fence();
      multiply_back(last, m, products);  // the first time m is 0
      multiply(stage, d);
      mma_commit();
      end_turn();
      mma_wait<0>(d);
      hold(products);
      if (i > 0) release(i - 1, last);
      with_code(args_.kind, args_.folded, args_.scale, args_.degree, [&](const auto& map) {
        if (__popc(zones.ends) < kZonesAhead) {
          weigh<false>(map, stage, image, zones, A, d, m);
        } else {
          weigh<true>(map, stage, image, zones, A, d, m);
        }
      });
      last = stage;
      if (++stage == args_.stages) {
        stage = 0;
        parity ^= 1;
      }
      if (++chunk == args_.chunks) {
        chunk = 0;
        ++image;
      }
    }
    begin_turn();
    mma_fence();
    multiply_back(last, m, products);
    mma_commit();
    end_turn();
    mma_wait<0>(products);
    store(products);
  }

  template <int kCount>
  static __device__ __forceinline__ void hold(float (&values)[kCount]) {
#pragma unroll
    for (float& value : values) asm volatile("" : "+f"(value)::"memory");
  }

  /// A of the thread's two atoms in the first zones of a chunk.
  __device__ __forceinline__ void load_weights(int image, const ChunkZones& zones,
                                               float2 (&A)[kZonesAhead][2]) const {
    const float* from =
        args_.weights +
        (static_cast<std::size_t>(image) * args_.zone_count + zones.first_slot) * channels_ + atom_;
    const int count = min(__popc(zones.ends) + 1, args_.zone_count - zones.first_slot);
    const bool here[2] = {atom_ < args_.atom_count, atom_ + 8 < args_.atom_count};
#pragma unroll
    for (int z = 0; z < kZonesAhead; ++z) {
#pragma unroll
      for (int row = 0; row < 2; ++row)
        A[z][row] = {z < count && here[row] ? __ldg(from + z * channels_ + 8 * row) : 0.0F, 0.0F};
    }
    if (args_.kind != CodeKind::kSoftThreshold) return;
    from += args_.atom_count;
#pragma unroll
    for (int z = 0; z < kZonesAhead; ++z) {
#pragma unroll
      for (int row = 0; row < 2; ++row) {
        if (z < count && here[row]) A[z][row].y = __ldg(from + z * channels_ + 8 * row);
      }
    }
  }

  /// A of one of them.
  [[nodiscard]] __device__ __forceinline__ float2 weight(int image, int zone, int row) const {
    const int atom = atom_ + 8 * row;
    float2 A = {0, 0};
    if (atom >= args_.atom_count || zone >= args_.zone_count) return A;
    const float* from = args_.weights +
                        (static_cast<std::size_t>(image) * args_.zone_count + zone) * channels_ +
                        atom;
    A.x = __ldg(from);
    if (args_.kind == CodeKind::kSoftThreshold) A.y = __ldg(from + args_.atom_count);
    return A;
  }

  /// From the products d to m. kMany: more zones in the chunk than A holds.
  template <bool kMany, CodeKind kKind, bool kFolded>
  __device__ __forceinline__ void weigh(const CodeMap<kKind, kFolded>& map, int stage, int image,
                                        const ChunkZones& zones, float2 (&A)[kZonesAhead][2],
                                        const float (&d)[kColumns / 2],
                                        unsigned (&m)[kGroups / 2][4]) {
    const float2* norms = reinterpret_cast<const float2*>(norms_ + stage * kColumns) + lane_ % 4;
    int zone = zones.first_slot;
#pragma unroll
    for (int j = 0; j < kGroups; ++j) {
      float2 q = {0, 0};
      if constexpr (!kFolded) q = norms[4 * j];
      q = {fminf(q.x, kFillingNorm), fminf(q.y, kFillingNorm)};
#pragma unroll
      for (int row = 0; row < 2; ++row) {
        const float first = map.weight(d[4 * j + 2 * row], q.x, u_[row], A[0][row], shapes_[row]);
        const float second =
            map.weight(d[4 * j + 2 * row + 1], q.y, u_[row], A[0][row], shapes_[row]);
        totals_[row] += first + second;
        m[j / 2][j % 2 * 2 + row] = pack_bf16(first, second);
      }
      const bool ends = zones.ends >> j & 1U;
      if constexpr (kMany) {
        zone += ends ? 1 : 0;
        A[0][0] = weight(image, zone, 0);
        A[0][1] = weight(image, zone, 1);
      } else {
#pragma unroll
        for (int z = 0; z + 1 < kZonesAhead; ++z) {
#pragma unroll
          for (int row = 0; row < 2; ++row) {
            A[z][row].x = ends ? A[z + 1][row].x : A[z][row].x;
            if constexpr (kKind == CodeKind::kSoftThreshold)
              A[z][row].y = ends ? A[z + 1][row].y : A[z][row].y;
          }
        }
      }
    }
  }

  __device__ void store(const float (&products)[kWidth / 2]) {
    const std::size_t rows = static_cast<std::size_t>(blockIdx.y) * atom_tiles_ * kTileAtoms;
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      float* to = args_.products + (rows + atom_ + 8 * row) * kWidth + lane_ % 4 * 2;
#pragma unroll
      for (int j = 0; j < kWidth / 8; ++j)
        *reinterpret_cast<float2*>(to + 8 * j) = {products[4 * j + 2 * row],
                                                  products[4 * j + 2 * row + 1]};
      float2 sums = {totals_[row], shapes_[row]};
#pragma unroll
      for (int mask = 1; mask <= 2; mask *= 2) {
        sums.x += __shfl_xor_sync(0xFFFFFFFFU, sums.x, mask);
        sums.y += __shfl_xor_sync(0xFFFFFFFFU, sums.y, mask);
      }
      if (lane_ % 4 == 0) args_.sums[rows + atom_ + 8 * row] = sums;
    }
  }

  const BackwardArgs& args_;
  std::uint8_t* chunks_;
  float* norms_;
  std::uint64_t* full_;
  int* released_;
  int warpgroup_;
  int warp_;
  int lane_;
  int atom_tiles_;
  int tile_;
  int atom_;  ///< and atom_ + 8
  int channels_;
  int first_image_;
  int total_chunks_;
  unsigned a_[Shape::kParts * Shape::kSteps][4];
  AtomConstants u_[2];
  float totals_[2] = {0, 0};
  float shapes_[2] = {0, 0};
};

template <Operand kOperand, int kWidth, int kColumns, int kWarpgroups>
__global__ void __launch_bounds__(kWarpgroups* kWarpgroupThreads, 1)
    pool_backward_kernel(const __grid_constant__ BackwardArgs args) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  BackwardBlock<kOperand, kWidth, kColumns, kWarpgroups>(args, shared).run();
}

}  // namespace krica::device
