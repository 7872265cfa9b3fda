// SPDX-License-Identifier: BSD-3-Clause
//
// Sparse filtering (objectives/sparse_filtering.hpp): minimise Σ F̂ over soft absolute features
// that are normalised by feature and then by sample. J. Ngiam et al., "Sparse Filtering", NIPS
// 2011; as MATLAB's sparsefilt with Lambda = 0. Differences: the mean over samples instead of the
// sum; atoms are returned with length 1, which does not affect f; codes are sqrt((w·x)² + 1e-8),
// without the norms over a data set, which are replaced by the pipeline's standardisation.
#include "objectives/sparse_filtering.hpp"

#include "bases/start.hpp"

namespace krica {

Basis learn_sparse_filtering(const Context& context, const BasisRequest& request) {
  SparseFilteringObjective<float> objective(request.patches, request.options.components);
  Basis basis =
      minimised(context, objective, request, [&] { return starting_directions(context, request); });
  normalise_rows(basis.atoms);
  return basis;
}

}  // namespace krica
