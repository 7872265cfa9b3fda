// SPDX-License-Identifier: BSD-3-Clause
//
// Terms that the basis objectives share: grouped sparsity and the class-aware term.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "krica/runtime/library.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

// H, the K×K weights that group atoms in the sparsity term Σ_j sqrt(ε + Σ_u H_ju s_u²).

enum class AtomGrouping {
  kNone,         ///< H = I: every atom on its own
  kTopographic,  ///< 3×3 neighbourhoods on a torus grid, weights 1
  kGroups,       ///< blocks of group_size atoms, weights 1
  kCustom,       ///< `weights`
};

struct KRICA_EXPORT AtomGroups {
  AtomGrouping kind = AtomGrouping::kNone;
  Index group_size = 0;              ///< kGroups: atoms per group; must divide K
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

  /// Throws InvalidArgument if K atoms do not fill the grid or the groups.
  void validate(Index K) const;
};

/// The most nearly square rows × cols = K with rows <= cols.
KRICA_EXPORT std::pair<Index, Index> nearly_square_grid(Index K);

/// H as a dense K×K matrix, for inspection and tests.
KRICA_EXPORT Matrix<double> group_matrix(const AtomGroups& groups, Index K);

// The class-aware term α d(s) of d-kRICA, d-RICA and DRICA, per sample with label y:
//   sum reading      d = (Σ_{u∉y} s_u)² - (Σ_{u∈y} s_u)² + η ‖s‖²
//   select reading   d = Σ_{u∉y} s_u² - Σ_{u∈y} s_u² + η ‖s‖²
// where u∈y are the atoms of class y. DRICA drops the negative term (homogeneous = false).
// The paper writes the sum reading (its D± are row vectors); "select" is what its prose suggests.
// Strictly convex in s iff η > k (sum) or η > 1 (select), k the number of atoms per class.

enum class DiscriminationReading { kSum, kSelect };
KRICA_EXPORT std::string_view name_of(DiscriminationReading reading);
KRICA_EXPORT DiscriminationReading discrimination_reading(std::string_view name);

struct KRICA_EXPORT Discrimination {
  double weight = 0;  ///< α >= 0; 0 disables the term, and labels are not needed
  DiscriminationReading reading = DiscriminationReading::kSum;
  /// η >= 0; unset: k+1 (sum), 2 (select), 0 (not homogeneous).
  std::optional<double> elastic = std::nullopt;
  bool homogeneous = true;  ///< false: DRICA

  /// Class of each atom, K values; empty: K/c consecutive atoms per class, K a multiple of c.
  std::vector<int> atom_class = {};

  void validate() const;
};

/// The classes of K atoms among n_classes, and the resulting elastic weight.
KRICA_EXPORT std::vector<int> atom_classes(const Discrimination& discrimination, Index K,
                                           int n_classes);
KRICA_EXPORT double elastic_weight(const Discrimination& discrimination,
                                   std::span<const int> atom_class, int n_classes);

/// 1 + the largest label. Throws InvalidArgument for a negative label, a class without samples, a
/// single class, or a number of labels other than n_samples.
KRICA_EXPORT int count_classes(std::span<const int> labels, Index n_samples);

}  // namespace krica
