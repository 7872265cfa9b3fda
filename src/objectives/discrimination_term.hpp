// SPDX-License-Identifier: BSD-3-Clause
//
// α d(s) of one code, with its derivative. The formula is in krica/objectives/terms.hpp.
#pragma once

#include <span>
#include <vector>

#include "krica/objectives/terms.hpp"

namespace krica {

class DiscriminationTerm {
 public:
  /// Throws InvalidArgument if the labels or the atoms' classes do not fit.
  DiscriminationTerm(const Discrimination& options, Index K, std::span<const int> labels,
                     Index n_samples);

  [[nodiscard]] bool active() const { return weight_ > 0; }

  /// Adds weight · ∂d/∂s_u to derivative[u] (unless null) and returns weight · d(s).
  template <class Scalar>
  double add(const Scalar* s, int label, Scalar* derivative) const;

 private:
  template <class Scalar>
  double add_sum(const Scalar* s, int label, Scalar* derivative) const;
  template <class Scalar>
  double add_select(const Scalar* s, int label, Scalar* derivative) const;

  double weight_;
  DiscriminationReading reading_;
  bool homogeneous_;
  double elastic_ = 0;
  std::vector<int> atom_class_;
};

}  // namespace krica
