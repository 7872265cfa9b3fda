// SPDX-License-Identifier: BSD-3-Clause
//
// ∂L/∂w_u = f_u (Σ m x - [distances] w_u Σ m) from the sums that pool_backward.cuh leaves, added up
// over the parts in their order; f_u is in code_math.cuh.
#pragma once

#include "device/code_math.cuh"
#include "device/hopper.cuh"

namespace krica::device {

/// Gradients from the parts' sums; one warp for each atom.
struct FinishArgs {
  const float* products;
  const float2* sums;
  const float* W;
  const float* shapes;  ///< or null
  float shape;
  float scale;
  float* gradient;        ///< atoms × values
  float* gradient_shape;  ///< atoms, or null; in log γ for the Gaussian
  int parts;
  int atom_count;
  int values;
  int width;
  CodeKind kind;
};

static __global__ void finish_gradient_kernel(const FinishArgs args) {
  const int atom = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (atom >= args.atom_count) return;
  const std::size_t rows = (args.atom_count + kTileAtoms - 1) / kTileAtoms * kTileAtoms;
  float total = 0;
  float shape_sum = 0;
  for (int part = 0; part < args.parts; ++part) {
    const float2 sums = args.sums[part * rows + atom];
    total += sums.x;
    shape_sum += sums.y;
  }
  float factor = 1;
  if (args.kind == CodeKind::kGaussian)
    factor = 2 * (args.shapes != nullptr ? args.shapes[atom] : args.shape);
  if (args.kind == CodeKind::kInverseSquareDistance) factor = 2 * args.scale;
  if (args.kind == CodeKind::kInverseDistance) factor = args.scale;
  for (int k = lane; k < args.values; k += 32) {
    float product = 0;
    for (int part = 0; part < args.parts; ++part)
      product += args.products[(part * rows + atom) * args.width + k];
    const std::size_t at = static_cast<std::size_t>(atom) * args.values + k;
    if (of_distances(args.kind)) product = fmaf(-total, args.W[at], product);
    args.gradient[at] = factor * product;
  }
  if (args.gradient_shape == nullptr || lane != 0) return;
  float shape = 0;
  if (args.kind == CodeKind::kGaussian) shape = 0.69314718F * shape_sum;
  if (args.kind == CodeKind::kSoftThreshold) shape = shape_sum;
  if (args.kind == CodeKind::kSigmoid) shape = total;
  args.gradient_shape[atom] = shape;
}

}  // namespace krica::device
