// SPDX-License-Identifier: BSD-3-Clause
//
// Sparse autoencoder with sigmoid codes and a linear decoder:
//
//   h_i = σ(W x_i + b),   x̂_i = Vᵀh_i + c,   ρ̂_u = 1/m Σ_i h_iu
//   f = 1/2m Σ_i ‖x̂_i - x_i‖² + β Σ_u KL(ρ ‖ ρ̂_u) + μ/2 (‖W‖² + ‖V‖²)
//   KL(ρ ‖ ρ̂) = ρ log(ρ/ρ̂) + (1-ρ) log((1-ρ)/(1-ρ̂))
//
// Tied: V = W, counted once in the last term. A. Ng, "Sparse Autoencoder", CS294A lecture notes,
// 2011; with a linear decoder, because whitened patches are unbounded. The parameters are one
// matrix (packed_layer.hpp). With e = x̂ - x, H' = H ∘ (1-H) and t_u = β(-ρ/ρ̂_u + (1-ρ)/(1-ρ̂_u)),
//   ∂f/∂W = 1/m [(E Vᵀ ∘ H')ᵀX + diag(t) H'ᵀX] + μW,   ∂f/∂V = 1/m HᵀE + μV,
// so t is not needed until the end, and one pass over the samples is enough. f is not a sum over
// samples: on a subset, ρ̂ is the mean over that subset.
#pragma once

#include "objectives/evaluated_objective.hpp"

namespace krica {

struct SparseAutoencoderOptions {
  Index n_components = 0;         ///< K > 0
  double sparsity = 3;            ///< β >= 0
  double sparsity_target = 0.05;  ///< ρ in (0, 1)
  double weight_decay = 3e-3;     ///< μ >= 0
  bool untied = false;            ///< with a separate decoder

  void validate() const;
};

template <class Scalar>
class SparseAutoencoderObjective final : public EvaluatedObjective<Scalar> {
 public:
  SparseAutoencoderObjective(ConstMatrixView<Scalar> X, const SparseAutoencoderOptions& options);

 private:
  double evaluate_on(const Context& context, const Samples<Scalar>& batch,
                     ConstMatrixView<Scalar> packed, MatrixView<Scalar>* gradient) override;

  SparseAutoencoderOptions options_;
};

}  // namespace krica
