// SPDX-License-Identifier: BSD-3-Clause
//
// What the solvers minimise: a differentiable function of one row-major matrix W (a basis, the
// weights of a classifier, or a plain vector as a 1×n matrix).
#pragma once

#include <optional>
#include <span>

#include "krica/runtime/matrix.hpp"

namespace krica {

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
};

/// A mean (or sum) over samples, of which parts can be evaluated: the same function on the given
/// samples only (indices below n_samples()).
template <class Scalar>
class SampledObjective : public virtual Objective<Scalar> {
 public:
  [[nodiscard]] virtual Index n_samples() const = 0;

  double value_and_gradient(ConstMatrixView<Scalar> W, MatrixView<Scalar> gradient) final {
    return evaluate(std::nullopt, W, &gradient);
  }
  double value(ConstMatrixView<Scalar> W) final { return evaluate(std::nullopt, W, nullptr); }
  double value_and_gradient_on(std::span<const Index> samples, ConstMatrixView<Scalar> W,
                               MatrixView<Scalar> gradient) {
    return evaluate(samples, W, &gradient);
  }
  double value_on(std::span<const Index> samples, ConstMatrixView<Scalar> W) {
    return evaluate(samples, W, nullptr);
  }

 protected:
  /// f on the samples, or on all; overwrites the gradient where it is not null.
  virtual double evaluate(std::optional<std::span<const Index>> samples, ConstMatrixView<Scalar> W,
                          MatrixView<Scalar>* gradient) = 0;
};

}  // namespace krica
