// SPDX-License-Identifier: BSD-3-Clause
//
// Between slots, zones and cells: pooled sums forward, ∂L/∂cells back. Every sum has one order.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace krica::device {

/// Cells from slots: cell g of an image is weights[g] times the sum of slots
/// members[begins[g]] ... members[begins[g + 1] - 1], in this order.
struct CellArgs {
  const float* sums;  ///< images × slots × channels
  const int* begins;
  const int* members;
  const float* weights;
  float* features;  ///< images × cells × channels
  int images;
  int slots;
  int cells;
  int channels;
};

/// A block has a few channels of an image at a time: what cells share comes from the cache.
static __global__ void add_cells_kernel(const CellArgs args) {
  const int chunks = (args.channels + static_cast<int>(blockDim.x) - 1) / blockDim.x;
  const auto channels = static_cast<std::size_t>(args.channels);
  for (int i = static_cast<int>(blockIdx.x); i < args.images * chunks; i += gridDim.x) {
    const auto image = static_cast<std::size_t>(i / chunks);
    const std::size_t channel = static_cast<std::size_t>(i % chunks) * blockDim.x + threadIdx.x;
    if (channel >= channels) continue;
    const float* __restrict__ sums = args.sums + image * args.slots * channels + channel;
    float* __restrict__ features = args.features + image * args.cells * channels + channel;
    for (int cell = 0; cell < args.cells; ++cell) {
      float sum = 0;
#pragma unroll 4
      for (int m = args.begins[cell]; m < args.begins[cell + 1]; ++m)
        sum += sums[static_cast<std::size_t>(args.members[m]) * channels];
      features[static_cast<std::size_t>(cell) * channels] = args.weights[cell] * sum;
    }
  }
}

/// A of zones from ∂L/∂cells: zone z has the sum over its cells of weight times value.
struct SpreadArgs {
  const float* cells;  ///< images × cells × channels
  const int* begins;   ///< of a zone's cells in members
  const int* members;
  const float* cell_weights;
  float* zones;  ///< images × zones × channels
  int images;
  int cell_count;
  int zone_count;
  int channels;
};

/// As add_cells_kernel.
static __global__ void spread_cells_kernel(const SpreadArgs args) {
  const int chunks = (args.channels + static_cast<int>(blockDim.x) - 1) / blockDim.x;
  const auto channels = static_cast<std::size_t>(args.channels);
  for (int i = static_cast<int>(blockIdx.x); i < args.images * chunks; i += gridDim.x) {
    const auto image = static_cast<std::size_t>(i / chunks);
    const std::size_t channel = static_cast<std::size_t>(i % chunks) * blockDim.x + threadIdx.x;
    if (channel >= channels) continue;
    const float* __restrict__ cells = args.cells + image * args.cell_count * channels + channel;
    float* __restrict__ zones = args.zones + image * args.zone_count * channels + channel;
    for (int zone = 0; zone < args.zone_count; ++zone) {
      float sum = 0;
#pragma unroll 4
      for (int m = args.begins[zone]; m < args.begins[zone + 1]; ++m) {
        const int cell = args.members[m];
        sum += args.cell_weights[cell] * cells[static_cast<std::size_t>(cell) * channels];
      }
      zones[static_cast<std::size_t>(zone) * channels] = sum;
    }
  }
}

}  // namespace krica::device
