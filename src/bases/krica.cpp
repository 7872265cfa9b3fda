// SPDX-License-Identifier: BSD-3-Clause
//
// Kernel reconstruction ICA (krica/objectives/krica.hpp). Y. Xiao, Z. Zhu, Y. Zhao, "Kernel
// Reconstruction ICA for Sparse Representation". Differences: L-BFGS or Adam instead of the printed
// fixed point, which can climb; see docs/math.md.
#include "krica/objectives/krica.hpp"

#include "bases/methods.hpp"
#include "bases/start.hpp"

namespace krica {

Basis learn_krica(const Context& context, const BasisRequest& request) {
  KricaOptions options;
  options.n_components = request.options.components;
  options.kernel = request.options.kernel;
  options.sparsity = request.options.sparsity;
  options.epsilon = request.options.epsilon;
  options.pooling = request.options.pooling;
  KricaObjective<float> objective(context, request.patches, options);
  return minimised(context, objective, request);
}

}  // namespace krica
