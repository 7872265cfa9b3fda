// SPDX-License-Identifier: BSD-3-Clause
//
// From images of bytes to preprocessed patches in the layout of operand_layout.hpp:
//
//   1. contrast   x ← (x - mean(x)) / sqrt(var(x) + ε), var with n-1
//   2. whitening  x ← P x - o              P = transformᵀ, o = μ · transform
//   3. unit norm  x ← x / ‖x‖, or 0 where ‖x‖ <= 1e-12
//
// Pixels are whole numbers below 256, which bf16 holds exactly, also less a whole number near their
// mean. So the product with P runs on the tensor cores in bf16 without rounding the pixels: with
// k = round(mean),
//   P (x - mean)/σ - o = (P (x - k)) / σ + (k - mean)/σ P1 - o,   σ = sqrt(var + ε),
// and P is a sum of two or three bf16 matrices (16 or 24 bits). Sums of pixels and of their squares
// are exact.
//
// A warpgroup takes 64 positions at a time: A the pixels, gathered into registers; B = P in shared
// memory; a thread then holds two positions' values at its quad's columns.
#pragma once

#include "device/hopper.cuh"
#include "device/operand_layout.hpp"

namespace krica::device {

struct PreprocessArgs {
  const std::uint8_t* images;      ///< planar, image_bytes each
  const int* places;               ///< rows: offset of a position's first pixel, or -1 to fill up
  const int* pixels;               ///< width: offsets of a patch's pixels, -1 behind them
  const std::uint16_t* transform;  ///< splits × (width × width bf16 as an operand)
  const float* transform_sums;     ///< width: P1
  const float* offsets;            ///< width: o
  std::uint8_t* patches;           ///< images × rows/8 groups
  float* squared_norms;            ///< images × rows; +∞ for rows that fill up
  int image_count;
  int image_bytes;
  int rows;  ///< of an image, a multiple of 8
  int values;
  int splits;
  int out_width;
  float epsilon;  ///< 0: no contrast normalisation
  int unit_norm;
  int constants_at;     ///< first of the four constant columns (operand_layout.hpp), or -1
  int image_in_shared;  ///< whether an image is copied there first
  Operand operand;
};

inline constexpr int kPreprocessWarpgroups = 1;  ///< of a block

inline std::size_t preprocess_shared_bytes(const PreprocessArgs& args, int width) {
  return static_cast<std::size_t>(args.splits) * width * width * 2 + 3 * width * 4 +
         (args.image_in_shared ? (args.image_bytes + 15) / 16 * 16 : 0);
}

namespace detail {

/// Of two patches, four pixels for every step of 16 in k: k, k+1, k+8, k+9 from 2 (lane mod 4) on.
template <int kSteps>
struct PixelRows {
  unsigned packed[2][kSteps];
  int sum[2] = {0, 0};
  int squares[2] = {0, 0};

  /// places: -1 for a row that fills up. Such rows are read as the image's first patch.
  __device__ __forceinline__ PixelRows(const std::uint8_t* image, const int (&places)[2],
                                       const int* pixels, int quad_lane) {
    const std::uint8_t* from[2] = {image + max(places[0], 0), image + max(places[1], 0)};
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int2 offset =
            *reinterpret_cast<const int2*>(pixels + 16 * step + 8 * half + 2 * quad_lane);
#pragma unroll
        for (int row = 0; row < 2; ++row) {
          const unsigned first = offset.x >= 0 ? from[row][offset.x] : 0;
          const unsigned second = offset.y >= 0 ? from[row][offset.y] : 0;
          const unsigned two = first | second << 8;
          packed[row][step] = half == 0 ? two : packed[row][step] | two << 16;
          sum[row] += static_cast<int>(first + second);
          squares[row] += static_cast<int>(first * first + second * second);
        }
      }
    }
#pragma unroll
    for (int row = 0; row < 2; ++row) {
#pragma unroll
      for (int mask = 1; mask <= 2; mask *= 2) {
        sum[row] += __shfl_xor_sync(0xFFFFFFFFU, sum[row], mask);
        squares[row] += __shfl_xor_sync(0xFFFFFFFFU, squares[row], mask);
      }
    }
  }
  [[nodiscard]] __device__ __forceinline__ unsigned pair(int row, int step, int half,
                                                         float less) const {
    const unsigned two = packed[row][step] >> (16 * half);
    return pack_bf16(static_cast<float>(two & 0xFFU) - less,
                     static_cast<float>(two >> 8 & 0xFFU) - less);
  }
};

/// x = factor · (product) + shift · P1 - o.
struct Affine {
  float whole;  ///< k
  float factor;
  float shift;

  __device__ __forceinline__ Affine(int sum, int squares, int n, float epsilon) {
    const float mean = static_cast<float>(sum) / static_cast<float>(n);
    whole = rintf(mean);
    const long long total = sum;
    if (epsilon == 0) {
      factor = 1;
      shift = whole;
      return;
    }
    const long long spread = static_cast<long long>(n) * squares - total * total;  // n (n-1) var
    const float variance =
        n > 1 ? static_cast<float>(spread) / (static_cast<float>(n) * static_cast<float>(n - 1))
              : 0.0F;
    factor = 1.0F / sqrtf(variance + epsilon);
    const long long rest = static_cast<long long>(whole) * n - total;
    shift = static_cast<float>(rest) / static_cast<float>(n) * factor;
  }
};

/// Stores values 8j + 2·quad_lane and the next of one position.
__device__ __forceinline__ void store_pair(Operand kind, std::uint8_t* row, int width, int j,
                                           int quad_lane, float first, float second) {
  if (is_bf16(kind)) {
    std::uint8_t* at = row + j * kCoreBytes + quad_lane * 4;
    const unsigned packed = pack_bf16(first, second);
    *reinterpret_cast<unsigned*>(at) = packed;
    if (kind == Operand::kBf16Split) {
      *reinterpret_cast<unsigned*>(at + part_bytes(kind, width)) =
          pack_bf16(first - low_bf16(packed), second - high_bf16(packed));
    }
    return;
  }
  std::uint8_t* at = row + (2 * j + quad_lane / 2) * kCoreBytes + quad_lane % 2 * 8;
  const float2 high = {round_to_tf32(first), round_to_tf32(second)};
  *reinterpret_cast<float2*>(at) = high;
  if (kind == Operand::kTf32Split) {
    *reinterpret_cast<float2*>(at + part_bytes(kind, width)) = {round_to_tf32(first - high.x),
                                                                round_to_tf32(second - high.y)};
  }
}

/// A block's shared memory.
template <int kWidth>
struct PreprocessMemory {
  static constexpr int kMatrix = kWidth * kWidth * 2;  ///< bytes of one part of P

  std::uint8_t* transform;
  float* sums;
  float* offsets;
  int* pixels;
  std::uint8_t* staged;  ///< an image, where it is copied first

  __device__ __forceinline__ PreprocessMemory(std::uint8_t* shared, const PreprocessArgs& args)
      : transform(shared),
        sums(reinterpret_cast<float*>(shared + args.splits * kMatrix)),
        offsets(sums + kWidth),
        pixels(reinterpret_cast<int*>(offsets + kWidth)),
        staged(reinterpret_cast<std::uint8_t*>(pixels + kWidth)) {}

  __device__ __forceinline__ void load_tables(const PreprocessArgs& args) const {
    for (int i = threadIdx.x; i < args.splits * kMatrix / 16; i += blockDim.x)
      reinterpret_cast<uint4*>(transform)[i] = reinterpret_cast<const uint4*>(args.transform)[i];
    for (int i = threadIdx.x; i < kWidth; i += blockDim.x) {
      sums[i] = args.transform_sums[i];
      offsets[i] = args.offsets[i];
      pixels[i] = args.pixels[i];
    }
  }

  /// The image, in shared memory if it is copied there. All threads of the block.
  __device__ __forceinline__ const std::uint8_t* stage(const PreprocessArgs& args,
                                                       int image) const {
    const std::uint8_t* source = args.images + static_cast<std::size_t>(image) * args.image_bytes;
    if (args.image_in_shared) {
      __syncthreads();
      if (args.image_bytes % 4 == 0 && reinterpret_cast<std::size_t>(args.images) % 4 == 0) {
        for (int i = threadIdx.x; i < args.image_bytes / 4; i += blockDim.x)
          reinterpret_cast<unsigned*>(staged)[i] = reinterpret_cast<const unsigned*>(source)[i];
      } else {
        for (int i = threadIdx.x; i < args.image_bytes; i += blockDim.x) staged[i] = source[i];
      }
      source = staged;
    }
    __syncthreads();
    return source;
  }
};

/// d = P (x - k) of two positions.
template <int kWidth>
__device__ __forceinline__ void whiten(const PixelRows<kWidth / 16>& patch,
                                       const Affine (&affine)[2],
                                       const PreprocessMemory<kWidth>& memory, int splits,
                                       float (&d)[kWidth / 2]) {
  constexpr int kSteps = kWidth / 16;
  unsigned a[kSteps][4];
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
#pragma unroll
    for (int e = 0; e < 4; ++e) a[step][e] = patch.pair(e % 2, step, e / 2, affine[e % 2].whole);
  }
  mma_fence();
  for (int split = 0; split < splits; ++split) {
    const Descriptor b(shared_address(memory.transform) + split * memory.kMatrix, kCoreBytes,
                       kWidth / 8 * kCoreBytes);
#pragma unroll
    for (int step = 0; step < kSteps; ++step)
      MmaBf16<kWidth>::run(d, a[step], b.at(step * 2 * kCoreBytes), split + step > 0);
  }
  mma_commit();
  mma_wait<0>(d);
}

/// d becomes x; squares: of this thread's values.
template <int kWidth>
__device__ __forceinline__ void shift_and_scale(const Affine (&affine)[2],
                                                const PreprocessMemory<kWidth>& memory,
                                                int quad_lane, float (&d)[kWidth / 2],
                                                float (&squares)[2]) {
#pragma unroll
  for (int j = 0; j < kWidth / 8; ++j) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int column = 8 * j + 2 * quad_lane + e % 2;
      const Affine& f = affine[e / 2];
      const float x =
          fmaf(f.factor, d[4 * j + e], fmaf(f.shift, memory.sums[column], -memory.offsets[column]));
      d[4 * j + e] = x;
      squares[e / 2] = fmaf(x, x, squares[e / 2]);
    }
  }
}

/// What becomes of a position's values and its ‖x‖².
struct Scaling {
  float factor = 1;
  float norm;
  float constant;  ///< of the columns that stand for ‖x‖²

  __device__ __forceinline__ Scaling(float squares, bool unit_norm, bool fills_up) : norm(squares) {
    const bool any = squares > 1e-24F;
    if (unit_norm) {
      factor = any ? 1.0F / sqrtf(squares) : 0.0F;
      norm = any ? 1.0F : 0.0F;
    }
    constant = norm;
    if (fills_up) {
      factor = 0;
      norm = INFINITY;
      constant = kFillingNorm;
    }
  }
};

/// Stores one of the two positions in d.
template <int kWidth>
__device__ __forceinline__ void store_position(const PreprocessArgs& args, const Scaling& scaling,
                                               std::uint8_t* to, int half, int quad_lane,
                                               const float (&d)[kWidth / 2]) {
#pragma unroll
  for (int j = 0; j < kWidth / 8; ++j) {
    if (8 * j < args.out_width)
      store_pair(args.operand, to, args.out_width, j, quad_lane,
                 scaling.factor * d[4 * j + 2 * half], scaling.factor * d[4 * j + 2 * half + 1]);
  }
  if (args.constants_at < 0) return;
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {  // over the zeros that the same thread stored there
    const int column = args.constants_at + 2 * pair;
    const float value = pair == 0 ? 1.0F : scaling.constant;
    if (quad_lane == column % 8 / 2)
      store_pair(args.operand, to, args.out_width, column / 8, quad_lane, value, value);
  }
}

}  // namespace detail

/// Blocks (x, y): images x, x + gridDim.x, ...; of each the y-th part.
template <int kWidth>
__global__ void __launch_bounds__(kPreprocessWarpgroups* kWarpgroupThreads, (kWidth <= 112 ? 3 : 2))
    preprocess_kernel(const PreprocessArgs args) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const detail::PreprocessMemory<kWidth> memory(shared, args);
  memory.load_tables(args);
  fence_for_mma();

  const int lane = threadIdx.x % 32;
  const int quad_lane = lane % 4;
  const int warp = threadIdx.x / 32 % 4;
  const int blocks = (args.rows + 63) / 64;
  const int first_block = blockIdx.y * kPreprocessWarpgroups + threadIdx.x / kWarpgroupThreads;
  const int group_size = group_bytes(args.operand, args.out_width);
  for (int image = blockIdx.x; image < args.image_count; image += gridDim.x) {
    const std::uint8_t* source = memory.stage(args, image);
    for (int block = first_block; block < blocks; block += kPreprocessWarpgroups * gridDim.y) {
      const int row = block * 64 + warp * 16 + lane / 4;  // and row + 8
      const int place[2] = {row < args.rows ? args.places[row] : -1,
                            row + 8 < args.rows ? args.places[row + 8] : -1};
      const detail::PixelRows<kWidth / 16> patch(source, place, memory.pixels, quad_lane);
      const detail::Affine affine[2] = {
          {patch.sum[0], patch.squares[0], args.values, args.epsilon},
          {patch.sum[1], patch.squares[1], args.values, args.epsilon}};
      float d[kWidth / 2];
      float squares[2] = {0, 0};
      detail::whiten<kWidth>(patch, affine, memory, args.splits, d);
      detail::shift_and_scale<kWidth>(affine, memory, quad_lane, d, squares);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        squares[half] += __shfl_xor_sync(0xFFFFFFFFU, squares[half], 1);
        squares[half] += __shfl_xor_sync(0xFFFFFFFFU, squares[half], 2);
        const detail::Scaling scaling(squares[half], args.unit_norm != 0, place[half] < 0);
        const int at = row + 8 * half;
        if (at >= args.rows) continue;
        const std::size_t global_row = static_cast<std::size_t>(image) * args.rows + at;
        if (quad_lane == 0) args.squared_norms[global_row] = scaling.norm;
        std::uint8_t* to = args.patches + global_row / 8 * group_size + at % 8 * 16;
        detail::store_position<kWidth>(args, scaling, to, half, quad_lane, d);
      }
    }
  }
}

}  // namespace krica::device
