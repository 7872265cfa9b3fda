// SPDX-License-Identifier: BSD-3-Clause
//
// What the solvers minimise: a differentiable function of one row-major matrix W (a basis, the
// weights of a classifier, or a plain vector as a 1×n matrix). Evaluations are given the context
// they run in; an objective keeps none.
#pragma once

#include <optional>
#include <span>

#include "krica/runtime/context.hpp"
#include "krica/runtime/library.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

template <class Scalar>
class KRICA_EXPORT Objective {
 public:
  Objective() = default;
  Objective(const Objective&) = delete;
  Objective& operator=(const Objective&) = delete;
  virtual ~Objective() = default;

  /// The shape of W and of its gradient.
  [[nodiscard]] virtual Index rows() const = 0;
  [[nodiscard]] virtual Index cols() const = 0;

  /// f(W); overwrites gradient with ∂f/∂W. Throws Cancelled when the context is cancelled.
  virtual double value_and_gradient(const Context& context, ConstMatrixView<Scalar> W,
                                    MatrixView<Scalar> gradient) = 0;

  /// f(W) alone.
  virtual double value(const Context& context, ConstMatrixView<Scalar> W) = 0;
};

/// A mean (or sum) over samples, of which parts can be evaluated: the same function on the given
/// samples only (indices below n_samples()).
template <class Scalar>
class KRICA_EXPORT SampledObjective : public virtual Objective<Scalar> {
 public:
  [[nodiscard]] virtual Index n_samples() const = 0;

  double value_and_gradient(const Context& context, ConstMatrixView<Scalar> W,
                            MatrixView<Scalar> gradient) final {
    return evaluate(context, std::nullopt, W, &gradient);
  }
  double value(const Context& context, ConstMatrixView<Scalar> W) final {
    return evaluate(context, std::nullopt, W, nullptr);
  }
  double value_and_gradient_on(const Context& context, std::span<const Index> samples,
                               ConstMatrixView<Scalar> W, MatrixView<Scalar> gradient) {
    return evaluate(context, samples, W, &gradient);
  }
  double value_on(const Context& context, std::span<const Index> samples,
                  ConstMatrixView<Scalar> W) {
    return evaluate(context, samples, W, nullptr);
  }

 protected:
  /// f on the samples, or on all; overwrites the gradient where it is not null.
  virtual double evaluate(const Context& context, std::optional<std::span<const Index>> samples,
                          ConstMatrixView<Scalar> W, MatrixView<Scalar>* gradient) = 0;
};

/// Whether a basis is fit to be returned as a success.
enum class BasisCondition {
  kSound,
  kDiverged,   ///< the codes of over half the atoms vary by at most 1e-3 of their mean
  kCollapsed,  ///< over half the atoms lie within 1e-3 of another one
};

/// Solvers ask it of what they are about to return.
template <class Scalar>
class KRICA_EXPORT BasisObjective : public virtual Objective<Scalar> {
 public:
  [[nodiscard]] virtual BasisCondition condition(const Context& context,
                                                 ConstMatrixView<Scalar> W) = 0;
};

/// With a fixed-point form ∂f/∂w_p = D_p (w_p - w*_p), where w*_p depends on W through the kernel
/// values only.
template <class Scalar>
class KRICA_EXPORT CurvedObjective : public virtual Objective<Scalar> {
 public:
  /// As value_and_gradient, and the rows' curvature D.
  virtual double value_gradient_and_curvature(const Context& context, ConstMatrixView<Scalar> W,
                                              MatrixView<Scalar> gradient,
                                              std::span<double> curvature) = 0;
};

}  // namespace krica
