// SPDX-License-Identifier: BSD-3-Clause
//
// d-RICA: RICA with the paper's discrimination constraint, which also increases the codes of the
// atoms of the sample's own class,
//
//   1/m Σ_i ‖WᵀW x_i - x_i‖² + λ/m Σ_i Σ_u sqrt(s_iu² + ε) + α/m Σ_i d(s_i),   s = Wx
//
// with d in both readings and the elastic weight η = k+1 (sum) or 2 (select) unless given
// (krica/objectives/terms.hpp). Y. Xiao, Z. Zhu, Y. Zhao, "Kernel Reconstruction ICA for Sparse
// Representation", section 5. Differences: patches have the label of their image; atoms have unit
// length (bases/rica.hpp).
#include "bases/class_atoms.hpp"
#include "bases/rica.hpp"
#include "krica/bases/basis.hpp"

namespace krica {

Basis learn_d_rica(const Context& context, const BasisRequest& request) {
  return learn_class_rica(context, request, discrimination_of(request, true));
}

}  // namespace krica
