// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/kernels/kernel.hpp"
#include "krica/solvers/objective.hpp"

namespace krica {

/// BasisCondition of the atoms W on the samples X, as that type defines it.
template <class Scalar>
BasisCondition basis_condition(const Context& context, const Kernel& kernel,
                               ConstMatrixView<Scalar> X, ConstMatrixView<Scalar> W);

}  // namespace krica
