// SPDX-License-Identifier: BSD-3-Clause
//
// Preprocessed patches of one image, a tile of positions at a time: what encoding and joint
// training read.
#pragma once

#include <vector>

#include "krica/features/pooling_grid.hpp"
#include "krica/patches/preprocessing.hpp"
#include "krica/patches/sampling.hpp"
#include "runtime/parallel.hpp"

namespace krica {

/// Positions held as codes at a time: enough for fast products, few enough for the cache.
inline constexpr Index kTilePositions = 128;

/// Patches at a time where codes are not held.
inline constexpr Index kFusedPositions = 1024;

/// For every zone the rows of a tile of positions that lie in it.
inline std::vector<Range> zones_of(const PoolingGrid& grid, Range tile) {
  std::vector<Range> zones(static_cast<std::size_t>(grid.zones()));
  for (Index i = 0; i < tile.size(); ++i) {  // a zone's positions follow one another
    Range& zone = zones[static_cast<std::size_t>(grid.place(tile.begin + i).zone)];
    if (zone.size() == 0) zone.begin = i;
    zone.end = i + 1;
  }
  return zones;
}

struct PatchLayout {
  const PoolingGrid& grid;
  ImageShape shape;
  Index field;
  Index stride;
};

/// patches(i, :) is the preprocessed patch at position first + i of a planar image. `raw` is
/// scratch: as many rows, preprocessing.inputs() columns.
inline void read_patches(const PatchLayout& layout, const Preprocessing& preprocessing,
                         const float* image, Index first, MatrixView<float> raw,
                         MatrixView<float> patches) {
  for (Index i = 0; i < patches.rows(); ++i) {
    const PoolingGrid::Place& place = layout.grid.place(first + i);
    copy_patch(image, layout.shape, layout.field, place.row * layout.stride,
               place.col * layout.stride, raw.data() + i * raw.outerStride());
  }
  preprocessing.apply_tile(raw, patches);
}

}  // namespace krica
