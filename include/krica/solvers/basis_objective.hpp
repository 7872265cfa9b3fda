// SPDX-License-Identifier: BSD-3-Clause
//
// What objectives of a basis can say beyond value and gradient.
#pragma once

#include <span>

#include "krica/solvers/objective.hpp"

namespace krica {

/// Whether a basis is fit to be returned as a success.
enum class BasisCondition {
  kSound,
  kDiverged,   ///< the codes of over half the atoms vary by at most 1e-3 of their mean
  kCollapsed,  ///< over half the atoms lie within 1e-3 of another one
};

/// Solvers ask it of what they are about to return.
template <class Scalar>
class BasisObjective : public virtual Objective<Scalar> {
 public:
  [[nodiscard]] virtual BasisCondition condition(const Context& context,
                                                 ConstMatrixView<Scalar> W) = 0;
};

/// With a fixed-point form ∂f/∂w_p = D_p (w_p - w*_p), where w*_p depends on W through the kernel
/// values only.
template <class Scalar>
class CurvedObjective : public virtual Objective<Scalar> {
 public:
  /// As value_and_gradient, and the rows' curvature D.
  virtual double value_gradient_and_curvature(const Context& context, ConstMatrixView<Scalar> W,
                                              MatrixView<Scalar> gradient,
                                              std::span<double> curvature) = 0;
};

}  // namespace krica
