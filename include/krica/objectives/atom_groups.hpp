// SPDX-License-Identifier: BSD-3-Clause
//
// H, the K×K pooling weights of the sparsity term Σ_j sqrt(ε + Σ_u H_ju s_u²).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "krica/runtime/matrix.hpp"

namespace krica {

enum class AtomGrouping {
  kNone,         ///< H = I: every atom by itself
  kTopographic,  ///< 3×3 neighbourhoods on a torus grid, weights 1
  kGroups,       ///< blocks of group_size atoms, weights 1
  kCustom,       ///< `weights`
};

struct AtomGroups {
  AtomGrouping kind = AtomGrouping::kNone;
  Index group_size = 0;              ///< kGroups: atoms a group; must divide K
  Index grid_rows = 0;               ///< kTopographic: 0 for the most nearly square grid,
  Index grid_cols = 0;               ///< else rows × cols must be K
  std::vector<double> weights = {};  ///< kCustom: K×K row-major, finite and >= 0

  static AtomGroups none() { return {}; }
  static AtomGroups topographic() { return {.kind = AtomGrouping::kTopographic}; }
  static AtomGroups of_size(Index size) {
    return {.kind = AtomGrouping::kGroups, .group_size = size};
  }
  static AtomGroups custom(std::vector<double> K_by_K) {
    return {.kind = AtomGrouping::kCustom, .weights = std::move(K_by_K)};
  }

  /// "none", "topographic", or the size of the groups. from_text() throws InvalidArgument.
  [[nodiscard]] std::string text() const;
  static AtomGroups from_text(std::string_view text);

  /// Throws InvalidArgument where K atoms do not fill the grid or the groups.
  void validate(Index K) const;
};

/// The most nearly square rows × cols = K with rows <= cols.
std::pair<Index, Index> nearly_square_grid(Index K);

/// H as a dense K×K matrix, for looking at it and for tests.
Matrix<double> group_matrix(const AtomGroups& groups, Index K);

}  // namespace krica
