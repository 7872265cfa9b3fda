// SPDX-License-Identifier: BSD-3-Clause
//
// PoolingGrid: where the sub-patches of an image lie, and over which of them a feature is summed.
//
// With P positions along an axis and g cells:
//   plain      cell c holds positions floor(cP/g) ... floor((c+1)P/g) - 1; codes are summed
//   overlap    windows of one and a half steps, floor(2cP/(2g+1)) ... ceil((2c+3)P/(2g+1)) - 1;
//              codes are averaged (27 positions in 4 cells: windows of 9, 6 apart)
//
// Overlapping cells share positions, and no position should be encoded twice. So the grid is cut at
// every border of a cell into zones, whose positions all lie in the same cells: codes are summed
// over zones first, then zones over cells. Plain cells are zones. Positions are numbered zone by
// zone, row by row in each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

/// "2x3": rows x columns.
struct PoolGrid {
  Index rows = 2;
  Index cols = 2;

  [[nodiscard]] std::string text() const;
  static PoolGrid from_text(std::string_view text);
};

struct FeatureOptions {
  Index receptive_field = 6;  ///< side of a patch in pixels, >= 1
  Index stride = 1;           ///< >= 1
  Index pool_rows = 2;        ///< cells of the grid, >= 1 and at most the positions along that side
  Index pool_cols = 2;
  bool pool_overlap = false;  ///< overlapping averages instead of sums
  double pool_power = 1;      ///< of the pooled code (pool_power.hpp), in (0, 1]

  void validate() const;
};

class PoolingGrid {
 public:
  /// Throws InvalidArgument where the images are smaller than the receptive field or the grid is
  /// finer than the positions.
  PoolingGrid(const FeatureOptions& options, ImageShape shape);

  [[nodiscard]] Index position_rows() const { return position_rows_; }
  [[nodiscard]] Index position_cols() const { return position_cols_; }
  [[nodiscard]] Index positions() const { return static_cast<Index>(places_.size()); }
  [[nodiscard]] Index zones() const { return static_cast<Index>(cells_of_zone_.size()); }
  [[nodiscard]] Index cells() const { return static_cast<Index>(weights_.size()); }

  struct Place {
    Index row = 0;  ///< of the position; its upper left pixel is stride times this
    Index col = 0;
    Index zone = 0;
  };
  [[nodiscard]] const Place& place(Index position) const {
    return places_[static_cast<std::size_t>(position)];
  }

  /// The cells that hold a zone's positions.
  [[nodiscard]] const std::vector<Index>& cells_of(Index zone) const {
    return cells_of_zone_[static_cast<std::size_t>(zone)];
  }
  /// The number of positions of a cell.
  [[nodiscard]] Index cell_size(Index cell) const {
    return cell_sizes_[static_cast<std::size_t>(cell)];
  }

  /// cells (cells × channels, one after the other) from the codes' sums over zones.
  template <class Scalar>
  void pool(ConstMatrixView<Scalar> zone_sums, Scalar* cells) const;

  /// The transpose of pool(), which is its derivative: from ∂L/∂cells to ∂L/∂code in each zone.
  template <class Scalar>
  void spread(const Scalar* cells, MatrixView<Scalar> zones) const;

 private:
  Index position_rows_ = 0;
  Index position_cols_ = 0;
  std::vector<Place> places_;
  std::vector<std::vector<Index>> cells_of_zone_;
  std::vector<Index> cell_sizes_;
  std::vector<double> weights_;  // of cells: 1, or 1 over the number of positions
};

}  // namespace krica
