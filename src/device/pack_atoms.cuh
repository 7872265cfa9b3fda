// SPDX-License-Identifier: BSD-3-Clause
//
// Atoms W (K×n) as the A operand of the tensor cores: v_u (code_math.cuh) in the order in which a
// warpgroup's threads hold them in registers, with zeros behind n and K. Runs on the device, so
// that training can pack its atoms anew at every step.
#pragma once

#include "device/code_math.cuh"
#include "device/hopper.cuh"
#include "device/operand_layout.hpp"

namespace krica::device {

struct PackArgs {
  const float* W;       ///< K×n
  const float* shapes;  ///< K: γ, t or b; or null
  float shape;          ///< where that is null
  int count;
  int values;
  int width;
  CodeKind kind;
  Operand operand;
  int constants_at;  ///< the patches' constant columns, for the Gaussian; or -1
  uint4* atoms;
  AtomConstants* constants;
};

__device__ __forceinline__ float shape_of(const PackArgs& args, int atom) {
  return args.shapes != nullptr ? args.shapes[atom] : args.shape;
}

/// What takes w to v.
__device__ __forceinline__ float atom_factor(const PackArgs& args, int atom) {
  if (args.kind == CodeKind::kGaussian) return 2 * kLog2e * shape_of(args, atom);
  return of_distances(args.kind) ? -2.0F : 1.0F;
}

/// x less what the operand holds of it.
__device__ __forceinline__ float rounding_error(Operand operand, float x) {
  for (int part = 0; part < (is_split(operand) ? 2 : 1); ++part)
    x -= is_bf16(operand) ? low_bf16(pack_bf16(x, 0)) : round_to_tf32(x);
  return x;
}

/// One thread for each uint4. After atom_constants_kernel.
static __global__ void pack_atoms_kernel(const PackArgs args) {
  const int step_values = is_bf16(args.operand) ? 16 : 8;
  const int steps = args.width / step_values;
  const int parts = is_split(args.operand) ? 2 : 1;
  const int tiles = (args.count + kTileAtoms - 1) / kTileAtoms;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= tiles * parts * steps * kWarpgroupThreads) return;
  const int thread = i % kWarpgroupThreads;
  const int step = i / kWarpgroupThreads % steps;
  const int part = i / kWarpgroupThreads / steps % parts;
  const int tile = i / kWarpgroupThreads / steps / parts;
  const auto value = [&](int row, int k) {
    const int atom = tile * kTileAtoms + row;
    if (atom >= args.count) return 0.0F;
    if (k >= args.values) {
      const int behind = k - args.constants_at;
      if (args.constants_at < 0 || behind < 0 || behind >= 4) return 0.0F;
      const float constant = behind < 2 ? args.constants[atom].y : args.constants[atom].x;
      return behind % 2 == 0 ? constant : rounding_error(args.operand, constant);
    }
    return atom_factor(args, atom) * args.W[static_cast<std::size_t>(atom) * args.values + k];
  };
  unsigned packed[4];
  for (int e = 0; e < 4; ++e) {
    const int row = thread / 32 * 16 + thread % 32 / 4 + e % 2 * 8;
    if (is_bf16(args.operand)) {
      const int k = step * 16 + thread % 4 * 2 + e / 2 * 8;
      const float first = value(row, k);
      const float second = value(row, k + 1);
      packed[e] = pack_bf16(first, second);
      if (part == 1)
        packed[e] = pack_bf16(first - low_bf16(packed[e]), second - high_bf16(packed[e]));
    } else {
      const float whole = value(row, step * 8 + thread % 4 + e / 2 * 4);
      const float high = round_to_tf32(whole);
      packed[e] = __float_as_uint(part == 0 ? high : round_to_tf32(whole - high));
    }
  }
  args.atoms[i] = {packed[0], packed[1], packed[2], packed[3]};
}

/// One warp for each atom, those that fill up the last tile too.
static __global__ void atom_constants_kernel(const PackArgs args) {
  const int atom = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (atom >= (args.count + kTileAtoms - 1) / kTileAtoms * kTileAtoms) return;
  AtomConstants u = {0, 0, 0, 0};
  if (atom < args.count) {
    double squares = 0;
    for (int k = lane; k < args.values; k += 32) {
      const double w = args.W[static_cast<std::size_t>(atom) * args.values + k];
      squares += w * w;
    }
    for (int mask = 16; mask > 0; mask /= 2) squares += __shfl_xor_sync(0xFFFFFFFFU, squares, mask);
    const double c = args.kind == CodeKind::kGaussian
                         ? -1.4426950408889634 * static_cast<double>(shape_of(args, atom))
                         : 1.0;
    u.x = static_cast<float>(c);
    u.y = static_cast<float>(c * squares);
    u.z = shape_of(args, atom);
    u.w = 1;
  }
  if (lane == 0) args.constants[atom] = u;
}

}  // namespace krica::device
