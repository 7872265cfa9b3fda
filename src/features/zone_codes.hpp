// SPDX-License-Identifier: BSD-3-Clause
//
// ZoneCodes: the codes of an image, pooled over the zones of the grid as they are computed, in
// registers if there is a fused form, otherwise one tile of positions at a time; they are never
// stored for a whole image. Single-threaded.
#pragma once

#include "features/fused_pooling.hpp"
#include "features/patch_source.hpp"

namespace krica {

/// Coder has encode(patches, codes) of Scalar, for one tile.
template <class Scalar, class Coder>
class ZoneCodes {
 public:
  /// Keeps references. `fused` (float sums and means only) may be null.
  ZoneCodes(const PatchSource& source, const Coder& coder, Index channels,
            const FusedPooling* fused)
      : source_(source),
        coder_(coder),
        fused_(fused),
        at_once_(tile_rows(source, fused != nullptr ? kFusedPositions : kTilePositions)),
        channels_(channels),
        patches_(at_once_, source.dimensions()),
        codes_(fused != nullptr ? 0 : at_once_, channels),
        zones_(source.grid().zones(), channels) {}

  /// An image of the source's shape.
  const Matrix<Scalar>& of(const float* image) {
    return of(image, source_.shape(), source_.grid());
  }

  /// One of its own shape, with the grid for it.
  const Matrix<Scalar>& of(const float* image, const ImageShape& shape, const PoolingGrid& grid) {
    if (zones_.rows() != grid.zones()) zones_ = Matrix<Scalar>(grid.zones(), channels_);
    grid.template clear<Scalar>(zones_);
    const float* prepared = source_.prepared(image, shape, memory_);
    const Partition tiles(grid.positions(), at_once_);
    for (Index t = 0; t < tiles.count(); ++t) {
      PositionTile tile(grid, tiles[t]);
      // At least two rows: single-row products are not reproducible to the bit
      // (runtime/parallel.hpp).
      if (tiles[t].size() == 1) tile.runs.push_back(tile.runs.front());
      const Index rows = std::max<Index>(2, tiles[t].size());
      const auto X = MatrixView<Scalar>(patches_).rows_between(0, rows);
      source_.template read<Scalar>(prepared, shape, tile, X);
      add(grid, tile, X);
    }
    return zones_;
  }

 private:
  static Index tile_rows(const PatchSource& source, Index most) {
    const bool varies = source.descriptors().any_size();
    return varies ? most : std::clamp<Index>(source.grid().positions(), 2, most);
  }

  void add(const PoolingGrid& grid, const PositionTile& tile, ConstMatrixView<Scalar> X) {
    if constexpr (std::is_same_v<Scalar, float>) {
      if (fused_ != nullptr) return fused_->add(X, tile.zones, zones_.row(tile.first_zone));
    }
    coder_.encode(X, MatrixView<Scalar>(codes_).rows_between(0, X.rows()));
    Index zone = tile.first_zone;
    for (const Range& rows : tile.zones) {
      for (Index i = rows.begin; i < rows.end; ++i)
        grid.gather(codes_.row(i), zones_.row(zone), codes_.cols());
      ++zone;
    }
  }

  const PatchSource& source_;
  const Coder& coder_;
  const FusedPooling* fused_;
  Index at_once_;
  Index channels_;
  std::vector<float> memory_;
  Matrix<Scalar> patches_;
  Matrix<Scalar> codes_;
  Matrix<Scalar> zones_;
};

}  // namespace krica
