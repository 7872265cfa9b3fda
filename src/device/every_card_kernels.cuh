// SPDX-License-Identifier: BSD-3-Clause
//
// The steps between cuBLAS's products in every_card.cu, for any card. Rows are the positions of a
// block of images, image by image and zone by zone. Every sum has one order.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "device/code_math.cuh"
#include "device/launch.cuh"
#include "device/pooled_codes.hpp"

namespace krica::device {

inline constexpr int kRowsAtATime = 64;  ///< whose weights one thread adds up

struct RawPatchArgs {
  Pixels images;
  const int* places;  ///< positions: offset of the upper left pixel in a plane
  int positions;      ///< of an image
  int rows;
  int image_values;
  int plane;  ///< pixels of a channel
  int width;  ///< of an image
  int field;
  int inputs;
  float pixel_scale;
  float epsilon;   ///< of the contrast; 0: none
  float* patches;  ///< rows × inputs
};

/// One warp for each row: the patch's pixels, with normalised contrast.
static __global__ void raw_patches_kernel(const RawPatchArgs args) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  if (row >= args.rows) return;
  const std::size_t image =
      static_cast<std::size_t>(row / args.positions) * static_cast<std::size_t>(args.image_values);
  const int place = args.places[row % args.positions];
  float* patch = args.patches + static_cast<std::size_t>(row) * args.inputs;
  const int area = args.field * args.field;
  float sum = 0;
  for (int k = lane; k < args.inputs; k += kWarp) {
    const std::size_t pixel =
        image + k / area * args.plane + place + k % area / args.field * args.width + k % args.field;
    const float value = args.pixel_scale * (args.images.bytes != nullptr
                                                ? static_cast<float>(args.images.bytes[pixel])
                                                : args.images.floats[pixel]);
    patch[k] = value;
    sum += value;
  }
  if (args.epsilon <= 0) return;
  const float mean = warp_sum(sum) / static_cast<float>(args.inputs);
  float squares = 0;
  for (int k = lane; k < args.inputs; k += kWarp) squares += (patch[k] - mean) * (patch[k] - mean);
  const float variance = warp_sum(squares) / static_cast<float>(max(1, args.inputs - 1));
  const float factor = 1 / sqrtf(variance + args.epsilon);
  for (int k = lane; k < args.inputs; k += kWarp) patch[k] = factor * (patch[k] - mean);
}

/// One warp for each row: subtracts the offset, scales to unit norm where asked, and notes ‖x‖².
static __global__ void finish_patches_kernel(float* patches, const float* offset, int rows,
                                             int values, bool unit_norm, float* squared_norms) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  if (row >= rows) return;
  float* patch = patches + static_cast<std::size_t>(row) * values;
  float squares = 0;
  for (int k = lane; k < values; k += kWarp) {
    if (offset != nullptr) patch[k] -= offset[k];
    squares += patch[k] * patch[k];
  }
  squares = warp_sum(squares);
  if (unit_norm) {
    const float factor = squares > 1e-24F ? 1 / sqrtf(squares) : 0.0F;
    float again = 0;
    for (int k = lane; k < values; k += kWarp) {
      patch[k] *= factor;
      again += patch[k] * patch[k];
    }
    squares = warp_sum(again);
  }
  if (lane == 0) squared_norms[row] = squares;
}

struct AtomArgs {
  const float* W;       ///< K×n
  const float* shapes;  ///< K, or null
  float shape;
  int count;
  int values;
  CodeKind kind;
  float* V;                  ///< K×n: v_u
  AtomConstants* constants;  ///< K
};

/// One warp for each atom.
static __global__ void prepare_atoms_kernel(const AtomArgs args) {
  const int atom = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  if (atom >= args.count) return;
  const float shape = args.shapes != nullptr ? args.shapes[atom] : args.shape;
  const bool gaussian = args.kind == CodeKind::kGaussian;
  const float factor = gaussian ? 2 * kLog2e * shape : (of_distances(args.kind) ? -2.0F : 1.0F);
  const std::size_t first = static_cast<std::size_t>(atom) * args.values;
  double squares = 0;
  for (int k = lane; k < args.values; k += kWarp) {
    const float w = args.W[first + k];
    args.V[first + k] = factor * w;
    squares += static_cast<double>(w) * static_cast<double>(w);
  }
  squares = warp_sum(squares);
  const double c = gaussian ? -1.4426950408889634 * static_cast<double>(shape) : 1.0;
  if (lane == 0)
    args.constants[atom] = {static_cast<float>(c), static_cast<float>(c * squares), shape, 1};
}

struct CodeArgs {
  float* products;             ///< rows × K: p; the weights m replace it on the way back
  const float* squared_norms;  ///< rows
  const AtomConstants* atoms;
  const float* means;  ///< rows: of distances, for the triangle
  int rows;
  int count;  ///< K
  CodeKind kind;
  float scale;
  int degree;
};

/// One warp for each row: the mean distance to all atoms.
static __global__ void mean_distances_kernel(const CodeArgs args, float* means) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  if (row >= args.rows) return;
  const float q = args.squared_norms[row];
  const float* p = args.products + static_cast<std::size_t>(row) * args.count;
  float sum = 0;
  for (int u = lane; u < args.count; u += kWarp)
    sum += sqrt_fast(squared_distance(p[u], q, args.atoms[u]));
  sum = warp_sum(sum);
  if (lane == 0) means[row] = sum / static_cast<float>(args.count);
}

struct ZoneArgs {
  const int* begins;  ///< zones + 1: a zone's positions
  int zones;
  int positions;
  float* sums;  ///< images × zones × channels
};

/// One thread for each atom of a zone of an image: blockIdx.y is the zone, image by image.
template <class Map>
static __global__ void add_zones_kernel(const CodeArgs args, const ZoneArgs zones, const Map map) {
  constexpr int kOutputs = channels_per_atom(Map::kKind);
  const int u = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (u >= args.count) return;
  const int image = static_cast<int>(blockIdx.y) / zones.zones;
  const int zone = static_cast<int>(blockIdx.y) % zones.zones;
  const AtomConstants atom = args.atoms[u];
  float sums[kOutputs] = {};
  for (int at = zones.begins[zone]; at < zones.begins[zone + 1]; ++at) {
    const std::size_t row = static_cast<std::size_t>(image) * zones.positions + at;
    const float p = args.products[row * args.count + u];
    const float mean = Map::kKind == CodeKind::kTriangle ? args.means[row] : 0.0F;
    for (int o = 0; o < kOutputs; ++o)
      sums[o] += map.value(p, args.squared_norms[row], mean, atom, o);
  }
  float* to = zones.sums + static_cast<std::size_t>(blockIdx.y) * args.count * kOutputs;
  for (int o = 0; o < kOutputs; ++o) to[o * args.count + u] = sums[o];
}

struct WeightArgs {
  const float* zone_weights;  ///< images × zones × channels: A
  const int* zone_of;         ///< positions
  int zones;
  int positions;
  float2* partial_sums;  ///< blocks of rows × K: Σ m, and what the shape's gradient sums
};

/// One thread for each atom and block of rows: p becomes m.
template <class Map>
static __global__ void weights_kernel(const CodeArgs args, const WeightArgs weights,
                                      const Map map) {
  const int u = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (u >= args.count) return;
  constexpr int kOutputs = channels_per_atom(Map::kKind);
  const AtomConstants atom = args.atoms[u];
  const int first = static_cast<int>(blockIdx.y) * kRowsAtATime;
  const int last = min(args.rows, first + kRowsAtATime);
  float total = 0;
  float shape = 0;
  for (int row = first; row < last; ++row) {
    const std::size_t zone = static_cast<std::size_t>(row / weights.positions) * weights.zones +
                             static_cast<std::size_t>(weights.zone_of[row % weights.positions]);
    const float* A = weights.zone_weights + zone * args.count * kOutputs + u;
    float& p = args.products[static_cast<std::size_t>(row) * args.count + u];
    const float m = map.weight(p, args.squared_norms[row], atom,
                               {A[0], kOutputs == 2 ? A[args.count] : 0.0F}, shape);
    total += m;
    p = m;
  }
  weights.partial_sums[static_cast<std::size_t>(blockIdx.y) * args.count + u] = {total, shape};
}

/// One thread for each atom: adds the blocks' sums in their order.
static __global__ void add_partial_sums_kernel(const float2* partial, int blocks, int count,
                                               bool first, double2* sums) {
  const int u = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (u >= count) return;
  double2 sum = first ? double2{0, 0} : sums[u];
  for (int b = 0; b < blocks; ++b) {
    const float2 part = partial[static_cast<std::size_t>(b) * count + u];
    sum.x += static_cast<double>(part.x);
    sum.y += static_cast<double>(part.y);
  }
  sums[u] = sum;
}

struct AtomGradientArgs {
  const float* products;  ///< K×n: Σ m x
  const double2* sums;    ///< K
  const float* W;
  const float* shapes;  ///< or null
  float shape;
  float scale;
  int count;
  int values;
  CodeKind kind;
  float* gradient;        ///< K×n
  float* gradient_shape;  ///< K, or null
};

/// One thread for each value of the gradient: code_math.cuh has the formulas.
static __global__ void atom_gradient_kernel(const AtomGradientArgs args) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i >= static_cast<std::size_t>(args.count) * args.values) return;
  const auto u = static_cast<int>(i / args.values);
  float factor = 1;
  if (args.kind == CodeKind::kGaussian)
    factor = 2 * (args.shapes != nullptr ? args.shapes[u] : args.shape);
  if (args.kind == CodeKind::kInverseSquareDistance) factor = 2 * args.scale;
  if (args.kind == CodeKind::kInverseDistance) factor = args.scale;
  const double2 sums = args.sums[u];
  float product = args.products[i];
  if (of_distances(args.kind)) product = fmaf(-static_cast<float>(sums.x), args.W[i], product);
  args.gradient[i] = factor * product;
  if (args.gradient_shape == nullptr || i % args.values != 0) return;
  double shape = 0;
  if (args.kind == CodeKind::kGaussian) shape = 0.6931471805599453 * sums.y;
  if (args.kind == CodeKind::kSoftThreshold) shape = sums.y;
  if (args.kind == CodeKind::kSigmoid) shape = sums.x;
  args.gradient_shape[u] = static_cast<float>(shape);
}

}  // namespace krica::device
