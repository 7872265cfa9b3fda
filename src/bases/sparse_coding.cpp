// SPDX-License-Identifier: BSD-3-Clause
//
// Sparse coding: a dictionary for codes with a small ℓ1 norm (clustering/sparse_coding.hpp),
//
//   minimise 1/m Σ_i ½‖x_i - Dᵀ s_i‖² + sparsity ‖s_i‖₁ over codes and atoms with ‖d_u‖ <= 1.
//
// H. Lee, A. Battle, R. Raina, A. Ng, "Efficient Sparse Coding Algorithms", NIPS 2006. Differences:
// codes by coordinate descent on a working set with a proven gap, instead of feature-sign search;
// atoms by block coordinate descent instead of the Lagrange dual.
#include "clustering/sparse_coding.hpp"

#include "bases/clustering_run.hpp"
#include "bases/start.hpp"

namespace krica {

/// More iterations than this takes would hardly change a code.
constexpr double kSettled = 1e-3;

Basis learn_sparse_coding(const Context& context, const BasisRequest& request) {
  SparseCodingOptions options{.n_atoms = request.options.components,
                              .sparsity = request.options.sparsity,
                              .max_iterations = request.options.iterations};
  ClusteringRun run(context, request, "sparse-coding", options, ClusteringRole::kMethod);
  options.max_iterations = run.left();
  // Before the run: a cancelled start has its own state.
  Matrix<float> first = run.atoms();
  if (first.size() == 0) {
    first = starting_directions(context, request);
    normalise_rows(first);
  }
  bool coded = true;
  Basis basis = run.run([&](const ClusteringHook<float>& hook) -> ClusteringRun::Clusters {
    auto result = sparse_coding<float>(context, request.patches, first, options, hook);
    coded = result.coded;
    return {std::move(result.atoms), result.change <= kSettled};
  });
  if (!coded) basis.status = Status::kDiverged;
  return basis;
}

}  // namespace krica
