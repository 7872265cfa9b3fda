// SPDX-License-Identifier: BSD-3-Clause
//
// K-means: the atoms are the centres that minimise Σ_i min_u ‖x_i - c_u‖², for two codes,
//
//   triangle  s_u = max(0, mean_v ‖x - c_v‖ - ‖x - c_u‖)
//   hard      s_u = 1 for the nearest centre, 0 for the others
//
// A. Coates, H. Lee, A. Ng, "An Analysis of Single-Layer Networks in Unsupervised Feature
// Learning", AISTATS 2011. As theirs, centres for the triangle code start as random directions
// (docs/decisions/0017-kmeans-start.md), those for other codes by k-means++, unless another start
// is asked for. Differences: directions of length 1, and empty clusters move to the farthest
// patches.
#include "bases/clustering_run.hpp"
#include "bases/start.hpp"

namespace krica {

Basis learn_kmeans(const Context& context, const BasisRequest& request) {
  require_patches_for_atoms(request);
  if (request.options.init == "kmeans") return kmeans_of(context, request, ClusteringRole::kMethod);
  return kmeans_from_start(context, request, [&] { return starting_atoms(context, request); });
}

}  // namespace krica
