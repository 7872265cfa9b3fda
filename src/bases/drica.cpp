// SPDX-License-Identifier: BSD-3-Clause
//
// DRICA: RICA with a class-aware term that keeps the codes of other classes' atoms small,
//
//   1/m Σ_i ‖WᵀW x_i - x_i‖² + λ/m Σ_i Σ_u sqrt(s_iu² + ε) + α/m Σ_i [ d₋(s_i) + η‖s_i‖² ],  s = Wx
//
// with d₋ = (Σ_{u∉y} s_u)² in the sum reading, Σ_{u∉y} s_u² in the select reading, and η = 0 unless
// given (krica/objectives/terms.hpp). Y. Xiao, Z. Zhu, Y. Zhao, "Discriminative Reconstruction
// Independent Component Analysis", as compared with in the kRICA paper. Differences: patches have
// the label of their image; atoms have unit length (bases/rica.hpp).
#include "bases/class_atoms.hpp"
#include "bases/rica.hpp"
#include "krica/bases/basis.hpp"

namespace krica {

Basis learn_drica(const Context& context, const BasisRequest& request) {
  return learn_class_rica(context, request, discrimination_of(request, false));
}

}  // namespace krica
