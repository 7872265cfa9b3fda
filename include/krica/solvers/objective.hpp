// SPDX-License-Identifier: BSD-3-Clause
//
// What the solvers minimise: a differentiable function of one row-major matrix W (a basis, the
// weights of a classifier, or a plain vector as a 1×n matrix).
#pragma once

#include <span>

#include "krica/runtime/matrix.hpp"

namespace krica {

/// Whether a basis is fit to be returned as a success.
enum class BasisCondition {
  kSound,
  kDiverged,   ///< the codes of over half the atoms vary by at most 1e-3 of their mean
  kCollapsed,  ///< over half the atoms lie within 1e-3 of another one
};

template <class Scalar>
class Objective {
 public:
  Objective() = default;
  Objective(const Objective&) = delete;
  Objective& operator=(const Objective&) = delete;
  virtual ~Objective() = default;

  /// The shape of W and of its gradient.
  [[nodiscard]] virtual Index rows() const = 0;
  [[nodiscard]] virtual Index cols() const = 0;

  /// f(W); overwrites gradient with ∂f/∂W. Throws Cancelled when the context is cancelled.
  virtual double value_and_gradient(ConstMatrixView<Scalar> W, MatrixView<Scalar> gradient) = 0;

  /// f(W) alone.
  virtual double value(ConstMatrixView<Scalar> W) = 0;

  /// For the fixed-point solver: also the rows' curvature D with ∂f/∂w_p = D_p (w_p - w*_p), where
  /// w*_p depends on W through the kernel values only. Throws InvalidArgument where there is no
  /// such form.
  virtual double value_gradient_and_curvature(ConstMatrixView<Scalar> W,
                                              MatrixView<Scalar> gradient,
                                              std::span<double> curvature);

  /// Checked by every solver on what it is about to return.
  [[nodiscard]] virtual BasisCondition condition(ConstMatrixView<Scalar> /*W*/) {
    return BasisCondition::kSound;
  }
};

/// A mean (or sum) over samples, of which parts can be evaluated.
template <class Scalar>
class SampledObjective : public Objective<Scalar> {
 public:
  [[nodiscard]] virtual Index n_samples() const = 0;

  /// The same function on the given samples only (indices below n_samples()).
  virtual double value_and_gradient_on(std::span<const Index> samples, ConstMatrixView<Scalar> W,
                                       MatrixView<Scalar> gradient) = 0;
  virtual double value_on(std::span<const Index> samples, ConstMatrixView<Scalar> W) = 0;
};

}  // namespace krica
