// SPDX-License-Identifier: BSD-3-Clause
//
// The options of clustering, listed like the solvers' in solvers/option_fields.hpp.
#pragma once

#include "clustering/ksvd.hpp"
#include "clustering/sparse_coding.hpp"
#include "clustering/spherical_kmeans.hpp"
#include "krica/clustering/kmeans.hpp"
#include "solvers/option_fields.hpp"

namespace krica {

template <OptionsOf<KmeansOptions> Options, class Visit>
void each_field(Options& options, Visit visit) {
  auto& [n_clusters, start, max_iterations, tolerance] = options;
  visit("n_clusters", n_clusters, kAny);  // bounded by the number of samples
  visit("start", start, kAny);
  visit("max_iterations", max_iterations, kNotNegative, OnResume::kMayDiffer);
  visit("tolerance", tolerance, kNotNegative);
}

template <OptionsOf<SphericalKmeansOptions> Options, class Visit>
void each_field(Options& options, Visit visit) {
  auto& [n_clusters, max_iterations, tolerance] = options;
  visit("n_clusters", n_clusters, kAtLeastOne);
  visit("max_iterations", max_iterations, kNotNegative, OnResume::kMayDiffer);
  visit("tolerance", tolerance, kFiniteNotNegative);
}

template <OptionsOf<KsvdOptions> Options, class Visit>
void each_field(Options& options, Visit visit) {
  auto& [n_atoms, nonzeros, max_iterations, tolerance, coherence, compared] = options;
  visit("n_atoms", n_atoms, kAtLeastOne);
  visit("nonzeros", nonzeros, kAtLeastOne);
  visit("max_iterations", max_iterations, kNotNegative, OnResume::kMayDiffer);
  visit("tolerance", tolerance, kFiniteNotNegative);
  visit("coherence", coherence, kFinitePositive);
  visit("compared", compared, kNotNegative);
}

template <OptionsOf<SparseCodingOptions> Options, class Visit>
void each_field(Options& options, Visit visit) {
  auto& [n_atoms, sparsity, max_iterations, tolerance] = options;
  visit("n_atoms", n_atoms, kAtLeastOne);
  visit("sparsity", sparsity, kFinitePositive);
  visit("max_iterations", max_iterations, kNotNegative, OnResume::kMayDiffer);
  visit("tolerance", tolerance, kFiniteNotNegative);
}

}  // namespace krica
