// SPDX-License-Identifier: BSD-3-Clause
//
// Sparse autoencoder (objectives/sparse_autoencoder.hpp): sigmoid codes whose mean activity is kept
// near a target by a Kullback-Leibler penalty,
//
//   1/2m Σ_i ‖Vᵀσ(Wx_i + b) + c - x_i‖² + β Σ_u KL(ρ ‖ ρ̂_u) + μ/2 (‖W‖² + ‖V‖²),
//
// where tied weights, V = W, are counted once: μ/2 ‖W‖².
//
// A. Ng, "Sparse Autoencoder", CS294A lecture notes, 2011; as a baseline in A. Coates, H. Lee, A.
// Ng, AISTATS 2011. Differences: a linear decoder, tied to the encoder unless `untied`; L-BFGS or,
// for many patches, Adam. Codes are σ(Wx + b).
#include "objectives/sparse_autoencoder.hpp"

#include <cmath>

#include "bases/packed_basis.hpp"
#include "krica/bases/basis.hpp"

namespace krica {

Basis learn_sparse_autoencoder(const Context& context, const BasisRequest& request) {
  const BasisOptions& options = request.options;
  SparseAutoencoderObjective<float> objective(request.patches,
                                              {.n_components = options.components,
                                               .sparsity = options.sparsity,
                                               .sparsity_target = options.sparsity_target,
                                               .weight_decay = options.weight_decay,
                                               .untied = options.untied});
  return minimised_layer(context, objective, request);
}

}  // namespace krica
