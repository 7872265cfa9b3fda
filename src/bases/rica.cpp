// SPDX-License-Identifier: BSD-3-Clause
//
// Reconstruction ICA (krica/objectives/rica.hpp): codes s = Wx that reconstruct and are sparse,
//
//   minimise 1/m Σ_i ‖WᵀW x_i - x_i‖² + λ/m Σ_i Σ_u sqrt((w_u·x_i)² + ε)
//
// Q. V. Le, A. Karpenko, J. Ngiam, A. Ng, "ICA with Reconstruction Cost for Efficient Overcomplete
// Feature Learning", NIPS 2011. Differences: rows are not normalised, unlike in their code (the
// conventions `le` and `matlab` follow the two implementations and return rows of length 1);
// optional grouped sparsity; L-BFGS or, for many patches, Adam.
#include "krica/objectives/rica.hpp"

#include "bases/rica.hpp"
#include "bases/start.hpp"

namespace krica {
namespace {

RicaOptions rica_options(const BasisRequest& request) {
  RicaOptions options;
  options.n_components = request.options.components;
  options.epsilon = request.options.epsilon;
  options.groups = request.options.groups;
  options.sign = request.options.non_gaussianity;
  apply_convention(options, request.options.convention);
  options.weight = options.weight_on == WeightOn::kReconstruction
                       ? request.options.reconstruction_weight
                       : request.options.sparsity;
  if (request.options.rica_contrast) apply_contrast(options, *request.options.rica_contrast);
  return options;
}

/// The atoms as the objective uses them: rows of length 1 if the convention normalises them.
Basis with_normalised_rows(Basis basis, const RicaOptions& options) {
  if (options.row_norm != RowNorm::kNone) normalise_rows(basis.atoms);
  return basis;
}

}  // namespace

Basis learn_rica(const Context& context, const BasisRequest& request) {
  const RicaOptions options = rica_options(request);
  RicaObjective<float> objective(request.patches, options);
  return with_normalised_rows(minimised(context, objective, request), options);
}

Basis learn_class_rica(const Context& context, const BasisRequest& request,
                       const Discrimination& discrimination) {
  RicaOptions options = rica_options(request);
  options.discrimination = discrimination;
  if (options.row_norm == RowNorm::kNone) options.row_norm = RowNorm::kExact;
  RicaObjective<float> objective(request.patches, options, request.labels);
  Basis basis = with_normalised_rows(
      minimised(context, objective, request, [&] { return starting_directions(context, request); }),
      options);
  basis.atom_class = discrimination.atom_class;
  return basis;
}

}  // namespace krica
