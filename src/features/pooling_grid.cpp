// SPDX-License-Identifier: BSD-3-Clause
#include "features/pooling_grid.hpp"

#include <algorithm>
#include <limits>

#include "runtime/check.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "features";
constexpr Index kMostZones = 16 * PoolLevels::kMostCells;
constexpr Index kLongestSide = std::numeric_limits<std::int32_t>::max();  // products fit in 64 bits

/// The positions of each cell along an axis.
std::vector<Range> cell_ranges(Index positions, Index cells, bool overlap) {
  std::vector<Range> ranges;
  for (Index c = 0; c < cells; ++c) {
    if (!overlap) {
      const Index begin = c * positions / cells;
      ranges.push_back({begin, std::max(begin + 1, (c + 1) * positions / cells)});
      continue;
    }
    const Index parts = 2 * cells + 1;  // a window spans three half-steps
    ranges.push_back({2 * c * positions / parts, ((2 * c + 3) * positions + parts - 1) / parts});
  }
  return ranges;
}

/// The cells of a level along both axes.
struct CellRanges {
  std::vector<Range> rows;
  std::vector<Range> cols;
};

std::vector<CellRanges> ranges_of(const PoolingOptions& options, Positions size, FewPositions few) {
  std::vector<CellRanges> ranges;
  for (const auto& [rows, cols] : options.levels.levels) {
    const bool enough = rows <= size.rows && cols <= size.cols;
    require(enough || few == FewPositions::kShared, kName,
            "a pooling grid of {}x{} is finer than the {} x {} positions; use a coarser grid or a "
            "smaller stride",
            rows, cols, size.rows, size.cols);
    ranges.push_back({cell_ranges(size.rows, rows, options.overlap),
                      cell_ranges(size.cols, cols, options.overlap)});
  }
  return ranges;
}

/// Where cells of any level begin or end along an axis.
std::vector<Index> borders_of(const std::vector<CellRanges>& levels,
                              std::vector<Range> CellRanges::*axis) {
  std::vector<Index> borders;
  for (const CellRanges& level : levels) {
    for (const Range& cell : level.*axis) {
      borders.push_back(cell.begin);
      borders.push_back(cell.end);
    }
  }
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

/// The cells of an axis that contain a position; they are consecutive.
Range cells_at(const std::vector<Range>& cells, Index position) {
  const auto first = std::partition_point(cells.begin(), cells.end(),
                                          [&](const Range& c) { return c.end <= position; });
  const auto last =
      std::partition_point(first, cells.end(), [&](const Range& c) { return c.begin <= position; });
  return {first - cells.begin(), last - cells.begin()};
}

/// The cells of all levels that contain the position (row, col).
std::vector<Index> cells_at(const std::vector<CellRanges>& levels, Index row, Index col) {
  std::vector<Index> cells;
  Index before = 0;  // cells in previous levels
  for (const CellRanges& level : levels) {
    const Range rows = cells_at(level.rows, row);
    const Range cols = cells_at(level.cols, col);
    for (Index r = rows.begin; r < rows.end; ++r) {
      for (Index c = cols.begin; c < cols.end; ++c)
        cells.push_back(before + r * std::ssize(level.cols) + c);
    }
    before += std::ssize(level.rows) * std::ssize(level.cols);
  }
  return cells;
}

/// The interval between two borders that contains the position.
Index piece_at(const std::vector<Index>& borders, Index position) {
  return std::upper_bound(borders.begin(), borders.end(), position) - borders.begin() - 1;
}

PoolFunction settled_function(const PoolingOptions& options) {
  const bool mean = options.overlap && options.function == PoolFunction::kSum;
  return mean ? PoolFunction::kMean : options.function;
}

}  // namespace

PoolingGrid::PoolingGrid(const PoolingOptions& options, Positions positions, FewPositions few)
    : size_(positions), function_(settled_function(options)) {
  options.validate();
  const auto [rows, cols] = positions;
  require(rows >= 1 && cols >= 1 && rows <= kLongestSide && cols <= kLongestSide, kName,
          "{} x {} positions cannot be pooled", rows, cols);
  const std::vector<CellRanges> levels = ranges_of(options, positions, few);
  row_borders_ = borders_of(levels, &CellRanges::rows);
  col_borders_ = borders_of(levels, &CellRanges::cols);
  const Index zones = (std::ssize(row_borders_) - 1) * (std::ssize(col_borders_) - 1);
  require(zones <= kMostZones, kName,
          "the pooling grids {} cut the positions into {} pieces, more than {}; use coarser ones",
          options.levels.text(), zones, kMostZones);
  for (const CellRanges& level : levels) {
    for (const Range& row : level.rows) {
      for (const Range& col : level.cols) cell_sizes_.push_back(row.size() * col.size());
    }
  }
  for (std::size_t r = 0; r + 1 < row_borders_.size(); ++r) {
    for (std::size_t c = 0; c + 1 < col_borders_.size(); ++c)
      cells_of_zone_.push_back(cells_at(levels, row_borders_[r], col_borders_[c]));
  }
}

PoolingGrid::Run PoolingGrid::run_at(Index position) const {
  // A band of zones consists of whole rows of positions, and its zones of whole columns of the
  // band.
  const Index band = piece_at(row_borders_, position / size_.cols);
  const auto b = static_cast<std::size_t>(band);
  const Index top = row_borders_[b];
  const Index height = row_borders_[b + 1] - top;
  const Index in_band = position - top * size_.cols;
  const Index piece = piece_at(col_borders_, in_band / height);
  const auto p = static_cast<std::size_t>(piece);
  const Index left = col_borders_[p];
  const Index width = col_borders_[p + 1] - left;
  const Index in_zone = in_band - left * height;
  const Index col = in_zone % width;
  return {{top + in_zone / width, left + col, width - col},
          band * (std::ssize(col_borders_) - 1) + piece};
}

template <class Scalar>
void PoolingGrid::clear(MatrixView<Scalar> zones) const {
  const bool maximum = function_ == PoolFunction::kMax;
  zones.setConstant(maximum ? std::numeric_limits<Scalar>::lowest() : Scalar(0));
}

template <class Scalar>
void PoolingGrid::gather(const Scalar* code, Scalar* zone, Index channels) const {
  if (function_ == PoolFunction::kMax) {
    for (Index u = 0; u < channels; ++u) zone[u] = std::max(zone[u], code[u]);
  } else {
    for (Index u = 0; u < channels; ++u) zone[u] += code[u];
  }
}

template <class Scalar>
void PoolingGrid::pool(ConstMatrixView<Scalar> zones, Scalar* cells) const {
  const Index channels = zones.cols();
  clear<Scalar>({cells, this->cells(), channels});
  for (Index z = 0; z < this->zones(); ++z) {
    const Scalar* zone = zones.data() + z * zones.outerStride();
    for (const Index g : cells_of(z)) {
      Scalar* cell = cells + g * channels;
      if (function_ != PoolFunction::kMean) {
        gather(zone, cell, channels);
        continue;
      }
      const auto weight = static_cast<Scalar>(1 / static_cast<double>(cell_size(g)));
      for (Index u = 0; u < channels; ++u) cell[u] += weight * zone[u];
    }
  }
}

template <class Scalar>
void PoolingGrid::spread(const Scalar* cells, MatrixView<Scalar> zones) const {
  require(function_ != PoolFunction::kMax, kName, "a maximum has no transpose");
  const Index channels = zones.cols();
  for (Index z = 0; z < this->zones(); ++z) {
    Scalar* zone = zones.data() + z * zones.outerStride();
    std::fill(zone, zone + channels, Scalar(0));
    for (const Index g : cells_of(z)) {
      const bool mean = function_ == PoolFunction::kMean;
      const auto weight = static_cast<Scalar>(mean ? 1 / static_cast<double>(cell_size(g)) : 1.0);
      const Scalar* cell = cells + g * channels;
      for (Index u = 0; u < channels; ++u) zone[u] += weight * cell[u];
    }
  }
}

#define KRICA_INSTANTIATE(Scalar)                                                  \
  template void PoolingGrid::clear<Scalar>(MatrixView<Scalar>) const;              \
  template void PoolingGrid::gather<Scalar>(const Scalar*, Scalar*, Index) const;  \
  template void PoolingGrid::pool<Scalar>(ConstMatrixView<Scalar>, Scalar*) const; \
  template void PoolingGrid::spread<Scalar>(const Scalar*, MatrixView<Scalar>) const
KRICA_INSTANTIATE(float);
KRICA_INSTANTIATE(double);
#undef KRICA_INSTANTIATE

}  // namespace krica
