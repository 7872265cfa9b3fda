// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "krica/kernels/kernel.hpp"
#include "krica/solvers/basis_objective.hpp"

namespace krica {

/// BasisCondition of the atoms W on the samples X, as that type defines it. gammas: the Gaussian's,
/// one an atom; none for the kernel's own.
template <class Scalar>
BasisCondition basis_condition(const Context& context, const Kernel& kernel,
                               ConstMatrixView<Scalar> X, ConstMatrixView<Scalar> W,
                               std::span<const Scalar> gammas = {});

}  // namespace krica
