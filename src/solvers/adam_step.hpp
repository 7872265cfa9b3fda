// SPDX-License-Identifier: BSD-3-Clause
//
// One step of Adam (krica/solvers/adam.hpp).
#pragma once

#include <cmath>

#include "krica/solvers/adam.hpp"

namespace krica {

/// What a step changes: W and the moments of its gradient.
template <class Scalar>
struct AdamParts {
  Matrix<Scalar>& W;
  Matrix<Scalar>& first;
  Matrix<Scalar>& second;
};

/// `step` counts from 1.
template <class Scalar>
void adam_step(const AdamOptions& options, Index step, double rate, const Matrix<Scalar>& gradient,
               AdamParts<Scalar> at) {
  const auto t = static_cast<double>(step);
  const double correction1 = 1 - std::pow(options.beta1, t);
  const double correction2 = 1 - std::pow(options.beta2, t);
  for (Index i = 0; i < at.W.size(); ++i) {
    const auto g = static_cast<double>(gradient.data()[i]);
    const double m =
        options.beta1 * static_cast<double>(at.first.data()[i]) + (1 - options.beta1) * g;
    const double v =
        options.beta2 * static_cast<double>(at.second.data()[i]) + (1 - options.beta2) * g * g;
    at.first.data()[i] = static_cast<Scalar>(m);
    at.second.data()[i] = static_cast<Scalar>(v);
    const double update = rate * (m / correction1) / (std::sqrt(v / correction2) + options.epsilon);
    at.W.data()[i] = static_cast<Scalar>(static_cast<double>(at.W.data()[i]) - update);
  }
}

}  // namespace krica
