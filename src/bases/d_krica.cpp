// SPDX-License-Identifier: BSD-3-Clause
//
// d-kRICA: kRICA (krica/objectives/krica.hpp) with the paper's discrimination constraint,
//
//   f_kRICA(W) + α/m Σ_i d(s_i),   s_iu = κ(w_u, x_i)
//
// with d in both readings and the elastic weight η = k+1 (sum) or 2 (select) unless given
// (krica/objectives/terms.hpp). Y. Xiao, Z. Zhu, Y. Zhao, "Kernel Reconstruction ICA for Sparse
// Representation", section 5. Differences: as krica.cpp; patches have the label of their image,
// which says little about small patches (docs/math.md).
#include "bases/class_atoms.hpp"
#include "bases/krica.hpp"
#include "bases/start.hpp"

namespace krica {

Basis learn_d_krica(const Context& context, const BasisRequest& request) {
  KricaOptions options = krica_options(request);
  options.discrimination = discrimination_of(request, true);
  KricaObjective<float> objective(request.patches, options, request.labels);
  Basis basis = minimised(context, objective, request);
  basis.atom_class = options.discrimination.atom_class;
  return basis;
}

}  // namespace krica
