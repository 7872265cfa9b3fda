// SPDX-License-Identifier: BSD-3-Clause
//
// Reconstruction ICA (krica/objectives/rica.hpp). Q. V. Le et al., NIPS 2011.
#include "krica/objectives/rica.hpp"

#include "bases/methods.hpp"
#include "bases/start.hpp"

namespace krica {

Basis learn_rica(const Context& context, const BasisRequest& request) {
  RicaOptions options;
  options.n_components = request.options.components;
  options.weight = request.options.sparsity;
  options.epsilon = request.options.epsilon;
  options.pooling = request.options.pooling;
  apply_convention(options, request.options.convention);
  RicaObjective<float> objective(context, request.patches, options);
  return minimised(context, objective, request);
}

}  // namespace krica
