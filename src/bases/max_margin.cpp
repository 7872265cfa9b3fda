// SPDX-License-Identifier: BSD-3-Clause
//
// Max-margin kRICA begins with atoms of its patches, by --init; what they become is learned with
// the classifier, from whole images (krica/joint/trainer.hpp).
#include "bases/methods.hpp"
#include "bases/start.hpp"

namespace krica {

Basis learn_max_margin_start(const Context& context, const BasisRequest& request) {
  return {starting_atoms(context, request), {}, Status::kConverged};
}

}  // namespace krica
