// SPDX-License-Identifier: BSD-3-Clause
//
// Central differences of f: R^{K×n} → R in float64, with the four-point stencil
//   f'(w) ≈ [f(w-2h) - 8 f(w-h) + 8 f(w+h) - f(w+2h)] / 12h,
// whose error is of the order h⁴ f⁽⁵⁾ + ε f/h. The step 1e-4 (for entries of the order of 1) keeps
// both below 1e-9 for contrasts whose curvature lives on the scale sqrt(ε) = 1e-2.
#pragma once

#include <algorithm>
#include <cmath>

#include "krica/runtime/matrix.hpp"
#include "support/comparison.hpp"

namespace krica::support {

inline constexpr double kDifferenceStep = 1e-4;
/// For functions with kinks: so small that a step hardly ever crosses one.
inline constexpr double kSmallStep = 1e-6;

template <class Value>
Matrix<double> numerical_gradient(Value&& f, const Matrix<double>& W,
                                  double relative_step = kDifferenceStep) {
  Matrix<double> moved = W;
  Matrix<double> gradient(W.rows(), W.cols());
  double largest = 0;
  for (Index e = 0; e < W.size(); ++e) largest = std::max(largest, std::abs(W.data()[e]));
  const double step = relative_step * (largest > 0 ? largest : 1.0);
  for (Index e = 0; e < W.size(); ++e) {
    const auto at = [&](double offset) {
      moved.data()[e] = W.data()[e] + offset;
      return f(moved);
    };
    const double near = at(step) - at(-step);
    const double far = at(2 * step) - at(-2 * step);
    gradient.data()[e] = (8 * near - far) / (12 * step);
    moved.data()[e] = W.data()[e];
  }
  return gradient;
}

/// ‖g - g_fd‖ / ‖g_fd‖ of a gradient g of f at W.
template <class Value>
double gradient_error(const Matrix<double>& gradient, Value&& f, const Matrix<double>& W,
                      double relative_step = kDifferenceStep) {
  return relative_error(gradient, numerical_gradient(f, W, relative_step));
}

}  // namespace krica::support
