// SPDX-License-Identifier: BSD-3-Clause
//
// Kernel sparse representation (objectives/ksr.hpp): codes are lasso solutions in feature space,
//
//   min over W and s_i of 1/m Σ_i ‖φ(x_i) - Φᵀs_i‖² + λ‖s_i‖₁,
//
// and the basis follows the gradient at the solved codes. S. Gao, I. Tsang, L.-T. Chia, "Kernel
// Sparse Representation for Image Classification and Face Recognition", ECCV 2010. Differences:
// L-BFGS or Adam on the minimum over the codes instead of alternating feature-sign search and a
// fixed point; codes by coordinate descent with a proven gap of 1e-6 κ(x,x), and 1e-4 κ(x,x) when
// encoding; L-BFGS warm-starts them from the codes of its last iteration.
#include "objectives/ksr.hpp"

#include "bases/start.hpp"

namespace krica {

Basis learn_ksr(const Context& context, const BasisRequest& request) {
  const Kernel& kernel = request.options.kernel;
  require(family_of(kernel.kind) == KernelFamily::kDistance, "ksr",
          "with the {} kernel, long atoms give small codes, which defeats the sparsity term; use "
          "gaussian or an inverse distance",
          name_of(kernel.kind));
  KsrObjective<float> objective(request.patches, {.n_components = request.options.components,
                                                  .kernel = kernel,
                                                  .sparsity = request.options.sparsity});
  // The codes that L-BFGS starts from are part of its state.
  BasisRequest with_codes = request;
  with_codes.hooks.iteration = [&](const HistoryRow& row) {
    objective.keep_codes();
    if (request.hooks.iteration) request.hooks.iteration(row);
  };
  with_codes.hooks.checkpoint = [&](const Archive& state) {
    if (!request.hooks.checkpoint) return;
    Archive whole = state;
    objective.save_codes(whole);
    request.hooks.checkpoint(whole);
  };
  if (request.state != nullptr) objective.load_codes(*request.state);
  return minimised(context, objective, with_codes);
}

}  // namespace krica
