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
        tiles_(source.grid().positions(), fused != nullptr ? kFusedPositions : kTilePositions),
        patches_(tiles_.largest(), source.dimensions()),
        codes_(fused != nullptr ? 0 : tiles_.largest(), channels),
        zones_(source.grid().zones(), channels) {}

  const Matrix<Scalar>& of(const float* image) {
    source_.grid().template clear<Scalar>(zones_);
    for (Index t = 0; t < tiles_.count(); ++t) {
      const PositionTile tile(source_.grid(), tiles_[t]);
      const auto X = MatrixView<Scalar>(patches_).rows_between(0, tiles_[t].size());
      source_.template read<Scalar>(image, tile, X);
      add(tile, X);
    }
    return zones_;
  }

 private:
  void add(const PositionTile& tile, ConstMatrixView<Scalar> X) {
    if constexpr (std::is_same_v<Scalar, float>) {
      if (fused_ != nullptr) return fused_->add(X, tile.zones, zones_.row(tile.first_zone));
    }
    coder_.encode(X, MatrixView<Scalar>(codes_).rows_between(0, X.rows()));
    Index zone = tile.first_zone;
    for (const Range& rows : tile.zones) {
      for (Index i = rows.begin; i < rows.end; ++i)
        source_.grid().gather(codes_.row(i), zones_.row(zone), codes_.cols());
      ++zone;
    }
  }

  const PatchSource& source_;
  const Coder& coder_;
  const FusedPooling* fused_;
  Partition tiles_;
  Matrix<Scalar> patches_;
  Matrix<Scalar> codes_;
  Matrix<Scalar> zones_;
};

}  // namespace krica
