// SPDX-License-Identifier: BSD-3-Clause
//
// Squared distances by matrix products, as ‖w‖² + ‖x‖² - 2 w·x. If w and x nearly coincide, this
// expansion loses its digits, and the distance is computed directly.
#pragma once

#include <span>
#include <vector>

#include "krica/runtime/matrix.hpp"

namespace krica {

template <class Scalar>
std::vector<Scalar> squared_row_norms(ConstMatrixView<Scalar> W);

/// distances(i, u) = ‖x_i - w_u‖², on the calling thread. norms: squared_row_norms(W).
template <class Scalar>
void squared_distances(ConstMatrixView<Scalar> X, ConstMatrixView<Scalar> W,
                       std::span<const Scalar> norms, MatrixView<Scalar> distances);

}  // namespace krica
