// SPDX-License-Identifier: BSD-3-Clause
//
// The over-complete form of kernel ICA: kernel PCA whitening, then RICA.
//
//   minimise 1/m Σ_i ‖WᵀW z_i - z_i‖² + λ/m Σ_i Σ_u sqrt((w_u·z_i)² + ε),   z (nearly) white
//
// On white z the reconstruction cost is ‖WᵀW - I‖² (Lemma 4.1 of the paper; Q. V. Le et al., NIPS
// 2011), a soft form of ICA's constraint that allows K > n. The whitening's epsilon (1e-4 unless
// given) makes z only nearly white, least so along its weakest directions. Differences: by default
// the whitening keeps half as many directions as there are components; for where it happens, see
// kica.cpp.

#include "krica/bases/basis.hpp"

namespace krica {

Basis learn_kpca_rica(const Context& context, const BasisRequest& request) {
  return basis_method("rica").learn(context, request);
}

}  // namespace krica
