// SPDX-License-Identifier: BSD-3-Clause
//
// Random patches: the atoms are K distinct training patches, w_u = x_i(u) with i(1) < ... < i(K)
// drawn uniformly. Nothing is learned, yet with the Gaussian code it is hard to beat; every learned
// basis is compared with it. A. Coates, A. Ng, "The Importance of Encoding Versus Training with
// Sparse Coding and Vector Quantization", ICML 2011. Differences: the Gaussian code instead of
// their threshold; zero patches are not drawn, and near-duplicates only if there are too few
// others.
#include "bases/start.hpp"

namespace krica {

Basis learn_random_patches(const Context& context, const BasisRequest& request) {
  BasisRequest drawn = request;
  drawn.options.init = "random-patches";
  return {starting_atoms(context, drawn), {}, Status::kConverged};
}

}  // namespace krica
