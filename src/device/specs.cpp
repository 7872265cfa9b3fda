// SPDX-License-Identifier: BSD-3-Clause
#include "device/specs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device/device_error.hpp"
#include "runtime/check.hpp"

namespace krica::device {
namespace {

struct Span {
  int begin;
  int end;
};

std::vector<Span> cell_spans(int positions, int cells, bool overlap) {
  std::vector<Span> spans;
  for (int c = 0; c < cells; ++c) {
    const int parts = 2 * cells + 1;
    spans.push_back(
        overlap ? Span{2 * c * positions / parts, ((2 * c + 3) * positions + parts - 1) / parts}
                : Span{c * positions / cells, (c + 1) * positions / cells});
  }
  return spans;
}

std::vector<Span> pieces_between(const std::vector<Span>& spans) {
  std::vector<int> borders;
  for (const Span& span : spans) {
    borders.push_back(span.begin);
    borders.push_back(span.end);
  }
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  std::vector<Span> pieces;
  for (std::size_t b = 1; b < borders.size(); ++b) pieces.push_back({borders[b - 1], borders[b]});
  return pieces;
}

bool covers(const Span& cell, const Span& piece) {
  return cell.begin <= piece.begin && piece.end <= cell.end;
}

/// Adds the zone where the pieces cross, and its number to the cells that cover it.
void add_zone(const PatchSpec& patch, int stride, const std::vector<Span>& row_spans,
              const std::vector<Span>& col_spans, Span row_piece, Span col_piece, PoolSpec& pool) {
  std::size_t cell = 0;
  for (const Span& r : row_spans) {
    for (const Span& c : col_spans) {
      if (covers(r, row_piece) && covers(c, col_piece))
        pool.cells[cell].push_back(static_cast<int>(pool.zones.size()));
      ++cell;
    }
  }
  std::vector<int>& zone = pool.zones.emplace_back();
  for (int y = row_piece.begin; y < row_piece.end; ++y) {
    for (int x = col_piece.begin; x < col_piece.end; ++x)
      zone.push_back(y * stride * patch.width + x * stride);
  }
}

}  // namespace

Operand operand_of(Products precision) {
  switch (precision) {
    case Products::kFloat32:
      return Operand::kTf32Split;
    case Products::kTf32:
      return Operand::kTf32;
    case Products::kBf16x3:
      return Operand::kBf16Split;
    default:
      return Operand::kBf16;
  }
}

PoolSpec pooling_grid(const PatchSpec& patch, int stride, int rows, int cols, bool overlap) {
  require(patch.field >= 1 && patch.field <= std::min(patch.height, patch.width), "device",
          "patches of {} pixels do not fit into images of {} x {}", patch.field, patch.height,
          patch.width);
  require(stride >= 1, "device", "stride must be >= 1, got {}", stride);
  const int position_rows = (patch.height - patch.field) / stride + 1;
  const int position_cols = (patch.width - patch.field) / stride + 1;
  require(rows >= 1 && cols >= 1 && rows <= position_rows && cols <= position_cols, "device",
          "{} x {} cells for {} x {} positions", rows, cols, position_rows, position_cols);
  const auto row_spans = cell_spans(position_rows, rows, overlap);
  const auto col_spans = cell_spans(position_cols, cols, overlap);
  PoolSpec pool;
  pool.cells.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  for (const Span& r : row_spans) {
    for (const Span& c : col_spans) {
      pool.weights.push_back(
          overlap ? 1.0F / static_cast<float>((r.end - r.begin) * (c.end - c.begin)) : 1.0F);
    }
  }
  for (const Span& row_piece : pieces_between(row_spans)) {
    for (const Span& col_piece : pieces_between(col_spans))
      add_zone(patch, stride, row_spans, col_spans, row_piece, col_piece, pool);
  }
  return pool;
}

int kernel_width(int values) {
  const int width = width_for(values);
  if (width == 0) {
    throw DeviceError(Trouble::kUnsupported,
                      fmt::format("[device] no kernel for patches of {} values", values));
  }
  return width;
}

void require_usable(const PatchSpec& patch, const PoolSpec& pool, const AtomSpec& atoms) {
  require(
      patch.channels >= 1 && patch.field >= 1 && patch.field <= std::min(patch.height, patch.width),
      "device", "patches of {} x {} x {} values do not fit into images of {} x {}", patch.channels,
      patch.field, patch.field, patch.height, patch.width);
  require(patch.outputs == 0 || (patch.transform != nullptr && patch.offset != nullptr), "device",
          "whitening to {} values needs a transform and an offset", patch.outputs);
  require(!pool.cells.empty() && pool.cells.size() == pool.weights.size(), "device",
          "{} pooling cells with {} weights", pool.cells.size(), pool.weights.size());
  require(atoms.count >= 1 && atoms.W != nullptr, "device", "{} atoms", atoms.count);
}

void require_same_atoms(const AtomSpec& atoms, const AtomSpec& before) {
  require(atoms.kind == before.kind && atoms.count == before.count, "device",
          "the encoder was made for {} atoms of another code or number, got {}", before.count,
          atoms.count);
}

}  // namespace krica::device
