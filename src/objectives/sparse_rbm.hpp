// SPDX-License-Identifier: BSD-3-Clause
//
// Sparse restricted Boltzmann machine with Gaussian visible and binary hidden units:
//
//   E(x, h) = ‖x - c‖²/2τ² - Σ_u h_u (b_u + w_u·x),   p(h_u = 1 | x) = σ(b_u + w_u·x),
//   p(x | h) = N(c + τ² Wᵀh, τ²I),
//   free energy F(x) = ‖x - c‖²/2τ² - Σ_u log(1 + exp(b_u + w_u·x))
//
// learned by contrastive divergence with one step, in which h is drawn from p(h | x_i) and x'_i is
// the mean of p(x | h), in the direction
//
//   1/m Σ_i ∂[F(x_i) - F(x'_i)]  (x' held fixed),
//   and β (q_u - ρ) on b_u,  q_u = 1/m Σ_i p(h_u | x_i)
//
// where ρ is the sparsity target. This direction is not the gradient of any function, so it
// requires Adam rather than a line search; the value reported is the quantity it should decrease,
//   1/2m Σ ‖x'_i - x_i‖² + β Σ_u KL(ρ ‖ q_u).
// τ² is the mean square of the samples' values. G. Hinton, "A Practical Guide to Training
// Restricted Boltzmann Machines", 2010; H. Lee, C. Ekanadham, A. Ng, "Sparse Deep Belief Net Model
// for Visual Area V2", NIPS 2007. The draws for sample i depend only on the seed and i, so that an
// evaluation can be repeated and resumed. The parameters are one matrix (packed_layer.hpp, tied).
#pragma once

#include "objectives/evaluated_objective.hpp"

namespace krica {

struct SparseRbmOptions {
  Index n_components = 0;         ///< K > 0
  double sparsity = 1;            ///< β >= 0
  double sparsity_target = 0.05;  ///< ρ in (0, 1)

  void validate() const;
};

template <class Scalar>
class SparseRbmObjective final : public EvaluatedObjective<Scalar> {
 public:
  /// The context is used only to compute τ².
  SparseRbmObjective(const Context& context, ConstMatrixView<Scalar> X,
                     const SparseRbmOptions& options);

  [[nodiscard]] double variance() const { return variance_; }  ///< τ²

 private:
  double evaluate_on(const Context& context, const Samples<Scalar>& batch,
                     ConstMatrixView<Scalar> packed, MatrixView<Scalar>* gradient) override;

  SparseRbmOptions options_;
  double variance_;
};

}  // namespace krica
