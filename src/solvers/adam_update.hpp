// SPDX-License-Identifier: BSD-3-Clause
//
// The update of Adam (krica/solvers/adam.hpp).
#pragma once

#include <cmath>

#include "krica/solvers/adam.hpp"

namespace krica {

/// The state that an update changes: W and the moments of its gradient.
template <class Scalar>
struct AdamParts {
  Matrix<Scalar>& W;
  Matrix<Scalar>& first;
  Matrix<Scalar>& second;
};

struct AdamRate {
  double rate;
  double decay = 0;  ///< each step subtracts rate · decay · W
};

/// `step` counts from 1. Only betas and epsilon of the options apply.
template <class Scalar>
void adam_update(const AdamOptions& options, Index step, AdamRate at,
                 const Matrix<Scalar>& gradient, AdamParts<Scalar> parts) {
  const auto t = static_cast<double>(step);
  const double correction1 = 1 - std::pow(options.beta1, t);
  const double correction2 = 1 - std::pow(options.beta2, t);
  for (Index i = 0; i < parts.W.size(); ++i) {
    const auto g = static_cast<double>(gradient.data()[i]);
    const double m =
        options.beta1 * static_cast<double>(parts.first.data()[i]) + (1 - options.beta1) * g;
    const double v =
        options.beta2 * static_cast<double>(parts.second.data()[i]) + (1 - options.beta2) * g * g;
    parts.first.data()[i] = static_cast<Scalar>(m);
    parts.second.data()[i] = static_cast<Scalar>(v);
    const auto old = static_cast<double>(parts.W.data()[i]);
    const double update =
        at.rate * (m / correction1) / (std::sqrt(v / correction2) + options.epsilon);
    parts.W.data()[i] = static_cast<Scalar>(old - (update + at.rate * at.decay * old));
  }
}

}  // namespace krica
