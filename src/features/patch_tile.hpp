// SPDX-License-Identifier: BSD-3-Clause
//
// Preprocessed patches of one image, a tile of positions at a time: what encoding and joint
// training read.
#pragma once

#include "krica/features/pooling_grid.hpp"
#include "krica/patches/preprocessing.hpp"
#include "krica/patches/sampling.hpp"

namespace krica {

/// Positions held as codes at a time: enough for fast products, few enough for the cache.
inline constexpr Index kTilePositions = 128;

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
