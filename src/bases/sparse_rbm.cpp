// SPDX-License-Identifier: BSD-3-Clause
//
// Sparse restricted Boltzmann machine (objectives/sparse_rbm.hpp): Gaussian visible and binary
// hidden units, p(h_u = 1 | x) = σ(b_u + w_u·x), learned by contrastive divergence with a sparsity
// gradient of β(q_u - ρ) on the hidden biases. H. Lee, C. Ekanadham, A. Ng, "Sparse Deep Belief Net
// Model for Visual Area V2", NIPS 2007; as a baseline in A. Coates, H. Lee, A. Ng, AISTATS 2011.
// Differences: Adam instead of momentum, one variance for all visible units, and the epoch with the
// lowest reconstruction error and activity penalty on held-out patches is kept.
#include "objectives/sparse_rbm.hpp"

#include "bases/packed_basis.hpp"
#include "krica/bases/basis.hpp"
#include "runtime/check.hpp"

namespace krica {

Basis learn_sparse_rbm(const Context& context, const BasisRequest& request) {
  BasisRequest by_adam = request;
  const SolverKind solver = request.options.solver.value_or(SolverKind::kAdam);
  require(
      solver == SolverKind::kAdam, "sparse_rbm",
      "contrastive divergence is not the gradient of a function and needs solver adam, got '{}'",
      name_of(solver));
  require(!request.options.untied, "sparse_rbm",
          "a restricted Boltzmann machine has one set of weights; leave untied off");
  by_adam.options.solver = SolverKind::kAdam;
  SparseRbmObjective<float> objective(context, request.patches,
                                      {.n_components = request.options.components,
                                       .sparsity = request.options.sparsity,
                                       .sparsity_target = request.options.sparsity_target});
  return minimised_layer(context, objective, by_adam);
}

}  // namespace krica
