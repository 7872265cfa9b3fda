// SPDX-License-Identifier: BSD-3-Clause
//
// K-means centres as atoms, for the triangle and the hard code. A. Coates, H. Lee, A. Ng, "An
// Analysis of Single-Layer Networks in Unsupervised Feature Learning", AISTATS 2011. Differences: a
// k-means++ start, and empty clusters move to the farthest patches.
#include "krica/clustering/kmeans.hpp"

#include <utility>

#include "bases/methods.hpp"
#include "bases/start.hpp"

namespace krica {

Basis learn_kmeans(const Context& context, const BasisRequest& request) {
  require_patches_for_atoms(request);
  auto result = kmeans(context, request.patches, {.n_clusters = request.options.components});
  const Status status = result.converged ? Status::kConverged : Status::kIterationLimit;
  return {
      std::move(result.centers),
      {{.iteration = result.iterations, .evaluations = result.iterations, .value = result.inertia}},
      status};
}

}  // namespace krica
