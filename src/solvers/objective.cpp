// SPDX-License-Identifier: BSD-3-Clause
#include "krica/solvers/objective.hpp"

#include "krica/runtime/error.hpp"

namespace krica {

template <class Scalar>
double Objective<Scalar>::value_gradient_and_curvature(ConstMatrixView<Scalar> /*W*/,
                                                       MatrixView<Scalar> /*gradient*/,
                                                       std::span<double> /*curvature*/) {
  throw InvalidArgument("[fixed_point] this objective has no fixed-point form; use another solver");
}

template class Objective<float>;
template class Objective<double>;

}  // namespace krica
