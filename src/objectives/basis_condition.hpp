// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>

#include "krica/kernels/kernel.hpp"
#include "krica/solvers/objective.hpp"

namespace krica {

/// Computes a row of codes for each row of X. Called from several threads.
template <class Scalar>
using Encode = std::function<void(ConstMatrixView<Scalar> X, MatrixView<Scalar> codes)>;

/// Whether the codes of more than half of the K atoms hardly vary over the samples, relative to
/// their mean. The size of codes does not matter, because features are standardised. With more
/// channels than atoms, channel c belongs to atom c mod K.
template <class Scalar>
bool codes_hardly_vary(const Context& context, ConstMatrixView<Scalar> X, Index K, Index channels,
                       const Encode<Scalar>& encode);

/// BasisCondition of the atoms W on the samples X, as that type defines it. gammas: one per atom
/// for the Gaussian; empty for the kernel's own.
template <class Scalar>
BasisCondition basis_condition(const Context& context, const Kernel& kernel,
                               ConstMatrixView<Scalar> X, ConstMatrixView<Scalar> W,
                               std::span<const Scalar> gammas = {});

}  // namespace krica
