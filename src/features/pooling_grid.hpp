// SPDX-License-Identifier: BSD-3-Clause
//
// PoolingGrid: the positions of an image over which codes are summed, averaged or maximised.
//
// With P positions along an axis and g cells of a level:
//   plain      cell c holds positions floor(cP/g) ... floor((c+1)P/g) - 1, or where images differ
//              in size and P < g the single position floor(cP/g)
//   overlap    windows of one and a half steps, floor(2cP/(2g+1)) ... ceil((2c+3)P/(2g+1)) - 1
//              (27 positions in 4 cells: windows of 9, 6 apart)
// Cells are numbered level by level, row by row in each.
//
// Overlapping cells and levels share positions, and no position should be encoded twice. The grid
// is therefore cut at every cell border into zones, rectangles whose positions belong to the same
// cells: codes are pooled over zones first, then zones over cells. The plain cells of a single
// level are zones. Positions are numbered zone by zone, row by row in each. Nothing is stored per
// position.
#pragma once

#include <vector>

#include "features/feature_options.hpp"

namespace krica {

/// What to do where an axis has fewer positions than a level has cells.
enum class FewPositions {
  kRefused,
  kShared,  ///< neighbouring cells share a position, so that none is empty
};

class PoolingGrid {
 public:
  /// Throws InvalidArgument if a level has more cells than positions, unless they are shared, or
  /// there are too many zones.
  PoolingGrid(const PoolingOptions& options, Positions positions,
              FewPositions few = FewPositions::kRefused);

  [[nodiscard]] Index position_rows() const { return size_.rows; }
  [[nodiscard]] Index position_cols() const { return size_.cols; }
  [[nodiscard]] Index positions() const { return size_.count(); }
  [[nodiscard]] Index zones() const { return static_cast<Index>(cells_of_zone_.size()); }
  [[nodiscard]] Index cells() const { return static_cast<Index>(cell_sizes_.size()); }
  [[nodiscard]] PoolFunction function() const { return function_; }

  /// Consecutive neighbouring positions in one zone and row.
  struct Run : PositionRun {
    Index zone = 0;
  };
  /// The longest run that starts at a position.
  [[nodiscard]] Run run_at(Index position) const;

  /// The cells that contain a zone's positions.
  [[nodiscard]] const std::vector<Index>& cells_of(Index zone) const {
    return cells_of_zone_[static_cast<std::size_t>(zone)];
  }
  /// The number of positions in a cell.
  [[nodiscard]] Index cell_size(Index cell) const {
    return cell_sizes_[static_cast<std::size_t>(cell)];
  }

  /// The initial value of zones: 0, or less than all codes for the maximum.
  template <class Scalar>
  void clear(MatrixView<Scalar> zones) const;
  /// Adds one code to its zone.
  template <class Scalar>
  void gather(const Scalar* code, Scalar* zone, Index channels) const;
  /// Pools zones into cells (cells × channels, contiguous).
  template <class Scalar>
  void pool(ConstMatrixView<Scalar> zones, Scalar* cells) const;

  /// The transpose of pool(), which is its derivative: from ∂L/∂cells to ∂L/∂code in each zone.
  /// Only for sums and means.
  template <class Scalar>
  void spread(const Scalar* cells, MatrixView<Scalar> zones) const;

 private:
  Positions size_;
  PoolFunction function_;
  std::vector<Index> row_borders_;  // of zones, from 0 to the number of positions
  std::vector<Index> col_borders_;
  std::vector<std::vector<Index>> cells_of_zone_;
  std::vector<Index> cell_sizes_;
};

}  // namespace krica
