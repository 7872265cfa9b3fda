// SPDX-License-Identifier: BSD-3-Clause
//
// The functions that solvers minimise: differentiable, of one row-major matrix W (a basis, the
// weights of a classifier, or a vector as a 1×n matrix). Each evaluation takes the context to run
// in; an objective stores none.
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

  /// The shape of W and its gradient.
  [[nodiscard]] virtual Index rows() const = 0;
  [[nodiscard]] virtual Index cols() const = 0;

  /// f(W); overwrites gradient with ∂f/∂W. Throws Cancelled when the context is cancelled.
  virtual double value_and_gradient(const Context& context, ConstMatrixView<Scalar> W,
                                    MatrixView<Scalar> gradient) = 0;

  /// f(W) alone.
  virtual double value(const Context& context, ConstMatrixView<Scalar> W) = 0;
};

/// A mean (or sum) over samples that can also be evaluated on a subset of them (indices below
/// n_samples()).
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
  /// f on the samples, or on all; overwrites the gradient if it is not null.
  virtual double evaluate(const Context& context, std::optional<std::span<const Index>> samples,
                          ConstMatrixView<Scalar> W, MatrixView<Scalar>* gradient) = 0;
};

/// Whether a basis is good enough to be returned as a success.
enum class BasisCondition {
  kSound,
  kDiverged,   ///< the codes of more than half the atoms vary by at most 1e-3 of their mean
  kCollapsed,  ///< more than half the atoms are within 1e-3 of another one
};

/// Solvers check the condition of the basis they are about to return.
template <class Scalar>
class KRICA_EXPORT BasisObjective : public virtual Objective<Scalar> {
 public:
  [[nodiscard]] virtual BasisCondition condition(const Context& context,
                                                 ConstMatrixView<Scalar> W) = 0;
};

/// Has a fixed-point form ∂f/∂w_p = D_p (w_p - w*_p), where w*_p depends on W only through the
/// kernel values.
template <class Scalar>
class KRICA_EXPORT CurvedObjective : public virtual Objective<Scalar> {
 public:
  /// As value_and_gradient, with the curvature D of each row.
  virtual double value_gradient_and_curvature(const Context& context, ConstMatrixView<Scalar> W,
                                              MatrixView<Scalar> gradient,
                                              std::span<double> curvature) = 0;
};

}  // namespace krica
