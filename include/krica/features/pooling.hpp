// SPDX-License-Identifier: BSD-3-Clause
//
// How codes are pooled, and over which cells of an image.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "krica/runtime/library.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

/// One grid of cells.
struct PoolLevel {
  Index rows = 2;
  Index cols = 2;

  bool operator==(const PoolLevel&) const = default;
};

/// "2x2", or several grids over the same image, "1x1,2x2,4x4": a spatial pyramid (Lazebnik, Schmid
/// and Ponce, CVPR 2006). Rows before columns.
struct KRICA_EXPORT PoolLevels {
  std::vector<PoolLevel> levels = {PoolLevel{}};

  /// Total over all levels.
  [[nodiscard]] Index cells() const;
  [[nodiscard]] std::string text() const;
  /// Throws InvalidArgument.
  static PoolLevels from_text(std::string_view text);
  /// Throws InvalidArgument for no levels, a level without cells, duplicate levels, and more than
  /// kMostCells cells.
  void validate() const;

  static constexpr Index kMostCells = Index{1} << 14;
};

enum class PoolFunction { kSum, kMean, kMax };
KRICA_EXPORT std::string_view name_of(PoolFunction function);

}  // namespace krica
