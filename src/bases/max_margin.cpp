// SPDX-License-Identifier: BSD-3-Clause
//
// Max-margin kRICA: this file only finds the initial atoms, by --init; they are then learned
// together with the classifier, from whole images (joint/trainer.hpp).
#include "bases/start.hpp"

namespace krica {

Basis learn_max_margin_start(const Context& context, const BasisRequest& request) {
  if (request.options.init != "omp-1")
    return {starting_atoms(context, request), {}, Status::kConverged};
  // Learned by the method of that name, so that it can be interrupted and resumed.
  BasisRequest omp1 = request;
  omp1.options.init = "random";
  Basis basis = basis_method("omp-1").learn(context, omp1);
  if (basis.status != Status::kCancelled) basis.status = Status::kConverged;
  return basis;
}

}  // namespace krica
