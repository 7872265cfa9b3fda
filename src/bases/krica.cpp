// SPDX-License-Identifier: BSD-3-Clause
//
// Kernel reconstruction ICA (krica/objectives/krica.hpp): codes s_i = κ(W, x_i) that reconstruct in
// feature space and are sparse,
//
//   minimise 1/m Σ_i [ ‖Φᵀs_i - φ(x_i)‖² + λ Σ_u sqrt(ε + s_iu²) ],   Φ's rows: φ(w_u)
//
// Y. Xiao, Z. Zhu, Y. Zhao, "Kernel Reconstruction ICA for Sparse Representation". Differences:
// L-BFGS or Adam instead of the printed fixed point, which can ascend; see docs/math.md.
#include "krica/objectives/krica.hpp"

#include "bases/krica.hpp"
#include "bases/start.hpp"

namespace krica {

KricaOptions krica_options(const BasisRequest& request) {
  KricaOptions options;
  options.n_components = request.options.components;
  options.kernel = request.options.kernel;
  options.sparsity = request.options.sparsity;
  options.epsilon = request.options.epsilon;
  options.groups = request.options.groups;
  return options;
}

Basis learn_krica(const Context& context, const BasisRequest& request) {
  KricaObjective<float> objective(request.patches, krica_options(request));
  return minimised(context, objective, request);
}

}  // namespace krica
