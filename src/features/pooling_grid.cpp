// SPDX-License-Identifier: BSD-3-Clause
#include "krica/features/pooling_grid.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "runtime/check.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "features";

Index positions_along(Index pixels, Index field, Index stride) {
  return (pixels - field) / stride + 1;
}

/// The positions of every cell along an axis.
std::vector<Range> cell_ranges(Index positions, Index cells, bool overlap) {
  std::vector<Range> ranges;
  for (Index c = 0; c < cells; ++c) {
    if (!overlap) {
      ranges.push_back({c * positions / cells, (c + 1) * positions / cells});
      continue;
    }
    const Index parts = 2 * cells + 1;  // a window is three half-steps long
    ranges.push_back({2 * c * positions / parts, ((2 * c + 3) * positions + parts - 1) / parts});
  }
  return ranges;
}

/// The pieces between all borders of the cells.
std::vector<Range> pieces_of(const std::vector<Range>& cells) {
  std::vector<Index> borders;
  for (const Range& cell : cells) {
    borders.push_back(cell.begin);
    borders.push_back(cell.end);
  }
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  std::vector<Range> pieces;
  for (std::size_t b = 1; b < borders.size(); ++b) pieces.push_back({borders[b - 1], borders[b]});
  return pieces;
}

bool covers(const Range& cell, const Range& piece) {
  return cell.begin <= piece.begin && piece.end <= cell.end;
}

}  // namespace

std::string PoolGrid::text() const { return fmt::format("{}x{}", rows, cols); }

PoolGrid PoolGrid::from_text(std::string_view text) {
  PoolGrid grid{0, 0};
  const std::size_t cross = text.find('x');
  if (cross != std::string_view::npos) {
    std::from_chars(text.data(), text.data() + cross, grid.rows);
    std::from_chars(text.data() + cross + 1, text.data() + text.size(), grid.cols);
  }
  require(grid.rows >= 1 && grid.cols >= 1 && text == grid.text(), "options",
          "pool must be ROWSxCOLUMNS such as 2x2, got '{}'", text);
  return grid;
}

void FeatureOptions::validate() const {
  require(receptive_field >= 1, kName, "receptive_field must be >= 1, got {}", receptive_field);
  require(stride >= 1, kName, "stride must be >= 1, got {}", stride);
  require(pool_rows >= 1 && pool_cols >= 1, kName,
          "the pooling grid must be at least 1x1, got {}x{}", pool_rows, pool_cols);
  require(pool_power > 0 && pool_power <= 1, kName, "pool_power must be in (0, 1], got {}",
          pool_power);
}

PoolingGrid::PoolingGrid(const FeatureOptions& options, ImageShape shape) {
  options.validate();
  const Index field = options.receptive_field;
  require(field <= shape.height && field <= shape.width, kName,
          "images of {} x {} pixels are smaller than the receptive field of {} x {}", shape.height,
          shape.width, field, field);
  position_rows_ = positions_along(shape.height, field, options.stride);
  position_cols_ = positions_along(shape.width, field, options.stride);
  require(options.pool_rows <= position_rows_ && options.pool_cols <= position_cols_, kName,
          "a pooling grid of {}x{} is finer than the {} x {} positions; use a coarser grid or a "
          "smaller stride",
          options.pool_rows, options.pool_cols, position_rows_, position_cols_);
  const auto rows = cell_ranges(position_rows_, options.pool_rows, options.pool_overlap);
  const auto cols = cell_ranges(position_cols_, options.pool_cols, options.pool_overlap);
  for (const Range& row : rows) {
    for (const Range& col : cols) {
      cell_sizes_.push_back(row.size() * col.size());
      weights_.push_back(options.pool_overlap ? 1 / static_cast<double>(cell_sizes_.back()) : 1.0);
    }
  }
  for (const Range& row_piece : pieces_of(rows)) {
    for (const Range& col_piece : pieces_of(cols)) {
      std::vector<Index> cells;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t c = 0; c < cols.size(); ++c) {
          if (covers(rows[r], row_piece) && covers(cols[c], col_piece))
            cells.push_back(static_cast<Index>(r * cols.size() + c));
        }
      }
      for (Index row = row_piece.begin; row < row_piece.end; ++row) {
        for (Index col = col_piece.begin; col < col_piece.end; ++col)
          places_.push_back({row, col, zones()});
      }
      cells_of_zone_.push_back(std::move(cells));
    }
  }
}

template <class Scalar>
void PoolingGrid::pool(ConstMatrixView<Scalar> zone_sums, Scalar* cells) const {
  const Index channels = zone_sums.cols();
  std::fill(cells, cells + this->cells() * channels, Scalar(0));
  for (Index z = 0; z < zones(); ++z) {
    const Scalar* sums = zone_sums.data() + z * zone_sums.outerStride();
    for (const Index g : cells_of_zone_[static_cast<std::size_t>(z)]) {
      const auto weight = static_cast<Scalar>(weights_[static_cast<std::size_t>(g)]);
      Scalar* cell = cells + g * channels;
      for (Index u = 0; u < channels; ++u) cell[u] += weight * sums[u];
    }
  }
}

template <class Scalar>
void PoolingGrid::spread(const Scalar* cells, MatrixView<Scalar> zones) const {
  const Index channels = zones.cols();
  for (Index z = 0; z < this->zones(); ++z) {
    Scalar* zone = zones.data() + z * zones.outerStride();
    std::fill(zone, zone + channels, Scalar(0));
    for (const Index g : cells_of_zone_[static_cast<std::size_t>(z)]) {
      const auto weight = static_cast<Scalar>(weights_[static_cast<std::size_t>(g)]);
      const Scalar* cell = cells + g * channels;
      for (Index u = 0; u < channels; ++u) zone[u] += weight * cell[u];
    }
  }
}

#define KRICA_INSTANTIATE(Scalar)                                                  \
  template void PoolingGrid::pool<Scalar>(ConstMatrixView<Scalar>, Scalar*) const; \
  template void PoolingGrid::spread<Scalar>(const Scalar*, MatrixView<Scalar>) const
KRICA_INSTANTIATE(float);
KRICA_INSTANTIATE(double);
#undef KRICA_INSTANTIATE

}  // namespace krica
