// SPDX-License-Identifier: BSD-3-Clause
//
// OMP-1: unit-norm atoms by spherical K-means (krica/clustering/spherical_kmeans.hpp), to be used
// with the two-sided soft threshold max(0, ±w·x - t): the strongest classic single-layer baseline.
// A. Coates, A. Ng, "The Importance of Encoding Versus Training with Sparse Coding and Vector
// Quantization", ICML 2011. Differences: `iterations` is a limit, the turns end when the cost stops
// falling; atoms without patches move to patches that are coded worst, not to random ones.
#include <utility>

#include "bases/methods.hpp"
#include "bases/start.hpp"
#include "krica/clustering/spherical_kmeans.hpp"

namespace krica {

Basis learn_omp1(const Context& context, const BasisRequest& request) {
  auto result = spherical_kmeans<float>(
      context, request.patches, starting_atoms(context, request),
      {.n_clusters = request.options.components, .max_iterations = request.options.iterations});
  const Status status = result.converged ? Status::kConverged : Status::kIterationLimit;
  return {std::move(result.atoms), {}, status};
}

}  // namespace krica
