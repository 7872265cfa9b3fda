// SPDX-License-Identifier: BSD-3-Clause
//
// The paper's tables and figures with what it prints instead of this library's defaults: its λ, α
// and γ of each data set, its equation 3 for the sparsity (L2 pooling), and a solver that uses all
// patches at every step. docs/reproduction.md lists what still differs.
#pragma once

#include <string_view>

#include "experiments/experiment.hpp"

namespace krica {

/// The weights that the paper states for a data set.
struct PrintedWeights {
  double sparsity;        ///< λ, of RICA, DRICA, d-RICA, kRICA and d-kRICA
  double discrimination;  ///< α, of DRICA, d-RICA and d-kRICA
  double gamma;           ///< γ, of kRICA and d-kRICA; the control has the same code
};

/// `data` is the set's name in `krica data get`. Throws InvalidArgument if the paper has no
/// experiment on it.
PrintedWeights printed_weights(std::string_view data);

/// Changes the plan of an experiment to what is printed, except for what a figure varies. In the
/// tables of data sets kRICA and d-kRICA are followed by two more rows each: learned by the fixed
/// point, and from patches whitened by kernel PCA. Throws InvalidArgument if the paper does not
/// have the experiment, or if a number of atoms does not fill the grid of L2 pooling.
void set_as_printed(const Experiment& experiment, Plan& plan);

}  // namespace krica
