// SPDX-License-Identifier: BSD-3-Clause
//
// OMP-1: unit-norm atoms that minimise Σ_i ‖x_i - g_i d_{a(i)}‖², with one atom a(i) and gain g_i
// per patch, by spherical K-means (clustering/spherical_kmeans.hpp); for use with the two-sided
// soft threshold, s = max(0, ±d·x - t): the strongest classic single-layer baseline. A. Coates, A.
// Ng, "The Importance of Encoding Versus Training with Sparse Coding and Vector Quantization", ICML
// 2011. Differences: `iterations` is a limit, iteration stops when the cost stops decreasing; atoms
// without patches move to the worst-coded patches, not to random ones.
#include "bases/clustering_run.hpp"
#include "bases/start.hpp"

namespace krica {

Basis learn_omp1(const Context& context, const BasisRequest& request) {
  return spherical_kmeans_of(context, request, request.options.iterations, ClusteringRole::kMethod,
                             [&] { return starting_directions(context, request); });
}

}  // namespace krica
