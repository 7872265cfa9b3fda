// SPDX-License-Identifier: BSD-3-Clause
//
// Sparse filtering: few features are active per sample, and each feature in few samples.
//
//   F_iu = sqrt((w_u·x_i)² + ε)                       soft absolute value
//   F̃_iu = F_iu / N_u,   N_u = sqrt(Σ_i F_iu² + ε)    each feature has norm 1 over the samples
//   F̂_iu = F̃_iu / r_i,   r_i = sqrt(Σ_u F̃_iu² + ε)    each sample has norm 1 over the features
//   f(W) = 1/m Σ_i Σ_u F̂_iu,                          ε = 1e-8
//
// J. Ngiam et al., "Sparse Filtering", NIPS 2011; ε and the order of the norms as in MATLAB's
// sparsefilt, which sums where this takes the mean. N_u² = w_uᵀ(XᵀX)w_u + (m+1)ε needs no codes, so
// one pass over the samples gives f and its gradient: with δ = ∂f/∂F̃,
//   ∂f/∂w_u = 1/N_u Σ_i δ_iu (s_iu/F_iu) x_i - (Σ_i δ_iu F̃_iu)/N_u² (XᵀX) w_u,   s_iu = w_u·x_i.
// f is not a sum over samples: on a subset, the features are normalised over that subset.
#pragma once

#include <optional>

#include "krica/solvers/objective.hpp"
#include "objectives/evaluated_objective.hpp"

namespace krica {

inline constexpr double kSoftAbsolute = 1e-8;  // ε, also of the code

template <class Scalar>
class SparseFilteringObjective final : public EvaluatedObjective<Scalar>,
                                       public BasisObjective<Scalar> {
 public:
  SparseFilteringObjective(ConstMatrixView<Scalar> X, Index components);

  [[nodiscard]] BasisCondition condition(const Context& context,
                                         ConstMatrixView<Scalar> W) override;

 private:
  double evaluate_on(const Context& context, const Samples<Scalar>& batch,
                     ConstMatrixView<Scalar> W, MatrixView<Scalar>* gradient) override;

  std::optional<Matrix<double>> all_products_;  // XᵀX of all samples, computed once
};

}  // namespace krica
