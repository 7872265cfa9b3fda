// SPDX-License-Identifier: BSD-3-Clause
//
// OMP-1: unit-norm atoms that minimise Σ_i ‖x_i - g_i d_{a(i)}‖², one atom a(i) and gain g_i a
// patch, by spherical K-means (krica/clustering/spherical_kmeans.hpp); to be used with the
// two-sided soft threshold, s = max(0, ±d·x - t): the strongest classic single-layer baseline. A.
// Coates, A. Ng, "The Importance of Encoding Versus Training with Sparse Coding and Vector
// Quantization", ICML 2011. Differences: `iterations` is a limit, the turns end when the cost stops
// falling; atoms without patches move to patches that are coded worst, not to random ones.
#include <utility>

#include "bases/clustering_run.hpp"
#include "bases/methods.hpp"
#include "bases/start.hpp"
#include "krica/clustering/spherical_kmeans.hpp"

namespace krica {

Basis learn_omp1(const Context& context, const BasisRequest& request) {
  ClusteringRun run(context, request, "omp-1");
  return run.run([&](const ClusteringHook<float>& hook) -> ClusteringRun::Clusters {
    auto result = spherical_kmeans<float>(
        context, request.patches,
        run.done() > 0 ? run.atoms() : starting_directions(context, request),
        {.n_clusters = request.options.components,
         .max_iterations = request.options.iterations - run.done()},
        hook);
    return {std::move(result.atoms), result.converged};
  });
}

}  // namespace krica
