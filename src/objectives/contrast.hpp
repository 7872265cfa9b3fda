// SPDX-License-Identifier: BSD-3-Clause
//
// RICA's contrasts: Σ_j σ_j g_j(s) of one code, with its derivative.
#pragma once

#include <span>

#include "krica/objectives/rica.hpp"
#include "objectives/group_weights.hpp"

namespace krica {

/// a and b of krica/objectives/rica.hpp, without 1/m.
inline double reconstruction_weight(const RicaOptions& options) {
  return options.weight_on == WeightOn::kSparsity ? 1.0 : options.weight;
}
inline double contrast_weight(const RicaOptions& options) {
  return options.weight_on == WeightOn::kSparsity ? options.weight : 1.0;
}

class ContrastTerm {
 public:
  explicit ContrastTerm(const RicaOptions& options);

  /// Adds weight · ∂/∂s_u to derivative[u] (unless null) and returns the unweighted sum. scratch: K
  /// elements.
  template <class Scalar>
  double add(const Scalar* s, double weight, std::span<Scalar> scratch, Scalar* derivative) const;

 private:
  template <class Scalar>
  double add_log_cosh(const Scalar* s, Scalar beta, Scalar weight, std::span<Scalar> scratch,
                      Scalar* derivative) const;
  template <class Scalar>
  double add_exp(const Scalar* s, Scalar weight, std::span<Scalar> scratch,
                 Scalar* derivative) const;

  [[nodiscard]] double sign(Index j) const {
    return sign_.empty() ? 1.0 : sign_[static_cast<std::size_t>(j)];
  }

  Contrast contrast_;
  double epsilon_;
  Index K_;
  std::vector<int> sign_;
  GroupWeights groups_;
};

}  // namespace krica
