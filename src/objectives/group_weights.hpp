// SPDX-License-Identifier: BSD-3-Clause
//
// H in sparse form, and the pooled sparsity of one code: Σ_j σ_j sqrt(ε + Σ_u H_ju s_u²).
#pragma once

#include <span>
#include <vector>

#include "krica/objectives/terms.hpp"

namespace krica {

class GroupWeights {
 public:
  /// Throws InvalidArgument if the groups do not fit K atoms.
  GroupWeights(const AtomGroups& groups, Index K);

  /// Adds weight · ∂/∂s_u to derivative[u] (unless null) and returns the unweighted sum. sign: K
  /// values of ±1, or empty for all +1. scratch: K elements.
  template <class Scalar>
  double add(const Scalar* s, double epsilon, double weight, std::span<const int> sign,
             std::span<Scalar> scratch, Scalar* derivative) const;

  [[nodiscard]] Matrix<double> dense() const;

 private:
  void push_row(std::span<const std::pair<Index, double>> entries);
  void build_neighbourhoods(const AtomGroups& groups);
  void build_groups(Index group_size);
  void build_custom(const AtomGroups& groups);

  Index K_;
  bool identity_;  // H = I, which needs no entries
  // Row j of H: entries offsets_[j] ... offsets_[j+1].
  std::vector<Index> offsets_ = {0};
  std::vector<Index> columns_;
  std::vector<double> values_;
};

}  // namespace krica
