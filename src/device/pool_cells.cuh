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

static __global__ void add_cells_kernel(const CellArgs args) {
  const std::size_t total = static_cast<std::size_t>(args.images) * args.cells * args.channels;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < total;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    const auto channel = static_cast<int>(i % args.channels);
    const std::size_t row = i / args.channels;
    const auto cell = static_cast<int>(row % args.cells);
    const std::size_t image = row / args.cells;
    float sum = 0;
    for (int m = args.begins[cell]; m < args.begins[cell + 1]; ++m)
      sum += args.sums[(image * args.slots + args.members[m]) * args.channels + channel];
    args.features[i] = args.weights[cell] * sum;
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

static __global__ void spread_cells_kernel(const SpreadArgs args) {
  const std::size_t total = static_cast<std::size_t>(args.images) * args.zone_count * args.channels;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < total;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    const std::size_t channel = i % args.channels;
    const std::size_t row = i / args.channels;
    const auto zone = static_cast<int>(row % args.zone_count);
    const std::size_t image = row / args.zone_count;
    float sum = 0;
    for (int m = args.begins[zone]; m < args.begins[zone + 1]; ++m) {
      const int cell = args.members[m];
      sum += args.cell_weights[cell] *
             args.cells[(image * args.cell_count + cell) * args.channels + channel];
    }
    args.zones[i] = sum;
  }
}

}  // namespace krica::device
