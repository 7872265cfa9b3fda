// SPDX-License-Identifier: BSD-3-Clause
//
// The four evaluations of a SampledObjective by way of one, for objectives that see their samples
// as a matrix.
#pragma once

#include <span>
#include <string_view>

#include "krica/runtime/context.hpp"
#include "krica/solvers/objective.hpp"
#include "objectives/samples.hpp"

namespace krica {

template <class Scalar>
class EvaluatedObjective : public SampledObjective<Scalar> {
 public:
  /// W is rows × cols. Keeps the context and the view of X. Throws InvalidArgument for fewer than
  /// two samples, NaN or Inf.
  EvaluatedObjective(std::string_view name, const Context& context, ConstMatrixView<Scalar> X,
                     Index rows, Index cols)
      : name_(name), context_(context), X_(X), rows_(rows), cols_(cols) {
    require_samples(X, name);
    require(rows > 0, name, "components must be > 0, got {}", rows);
  }

  [[nodiscard]] Index rows() const final { return rows_; }
  [[nodiscard]] Index cols() const final { return cols_; }
  [[nodiscard]] Index n_samples() const final { return X_.rows(); }

  double value_and_gradient(ConstMatrixView<Scalar> W, MatrixView<Scalar> gradient) final {
    return checked_evaluate({X_}, W, &gradient);
  }
  double value(ConstMatrixView<Scalar> W) final { return checked_evaluate({X_}, W, nullptr); }
  double value_and_gradient_on(std::span<const Index> samples, ConstMatrixView<Scalar> W,
                               MatrixView<Scalar> gradient) final {
    const GatheredSamples<Scalar> batch({X_}, samples, name_);
    return checked_evaluate(batch.samples(), W, &gradient);
  }
  double value_on(std::span<const Index> samples, ConstMatrixView<Scalar> W) final {
    const GatheredSamples<Scalar> batch({X_}, samples, name_);
    return checked_evaluate(batch.samples(), W, nullptr);
  }

 protected:
  /// f on the batch; overwrites gradient where it is not null.
  virtual double evaluate(const Samples<Scalar>& batch, ConstMatrixView<Scalar> W,
                          MatrixView<Scalar>* gradient) = 0;

  [[nodiscard]] const Context& context() const { return context_; }
  [[nodiscard]] ConstMatrixView<Scalar> samples() const { return X_; }

 private:
  double checked_evaluate(const Samples<Scalar>& batch, ConstMatrixView<Scalar> W,
                          MatrixView<Scalar>* gradient) {
    require_basis(W, rows_, cols_, name_);
    if (gradient != nullptr) {
      require(gradient->rows() == rows_ && gradient->cols() == cols_, name_,
              "the gradient is {} x {}, it must be {} x {}", gradient->rows(), gradient->cols(),
              rows_, cols_);
    }
    return evaluate(batch, W, gradient);
  }

  std::string_view name_;
  const Context& context_;
  ConstMatrixView<Scalar> X_;
  Index rows_;
  Index cols_;
};

}  // namespace krica
