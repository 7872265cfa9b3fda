// SPDX-License-Identifier: BSD-3-Clause
//
// Base class of objectives whose samples are a matrix.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "krica/solvers/objective.hpp"
#include "objectives/samples.hpp"

namespace krica {

template <class Scalar>
class EvaluatedObjective : public SampledObjective<Scalar> {
 public:
  /// W is rows × cols. Keeps the view of X. Throws InvalidArgument for fewer than two samples, NaN
  /// or Inf.
  EvaluatedObjective(std::string_view name, ConstMatrixView<Scalar> X, Index rows, Index cols)
      : name_(name), X_(X), rows_(rows), cols_(cols) {
    require_samples(X, name);
    require(rows > 0, name, "components must be > 0, got {}", rows);
  }

  [[nodiscard]] Index rows() const final { return rows_; }
  [[nodiscard]] Index cols() const final { return cols_; }
  [[nodiscard]] Index n_samples() const final { return X_.rows(); }

 protected:
  /// f on the samples; overwrites gradient unless it is null.
  virtual double evaluate_on(const Context& context, const Samples<Scalar>& on,
                             ConstMatrixView<Scalar> W, MatrixView<Scalar>* gradient) = 0;

  /// f where another device than the CPU evaluates it; none: evaluate_on() does. rows: those of the
  /// batch, none for all; they are checked.
  virtual std::optional<double> evaluate_on_device(const Context& /*context*/,
                                                   std::span<const Index> /*rows*/,
                                                   ConstMatrixView<Scalar> /*W*/,
                                                   MatrixView<Scalar>* /*gradient*/) {
    return std::nullopt;
  }

  [[nodiscard]] ConstMatrixView<Scalar> samples() const { return X_; }

 private:
  double evaluate(const Context& context, std::optional<std::span<const Index>> samples,
                  ConstMatrixView<Scalar> W, MatrixView<Scalar>* gradient) final {
    require_basis<Scalar>(W, gradient, rows_, cols_, name_);
    if (samples) require_rows(*samples, X_.rows(), name_);
    const auto rows = samples.value_or(std::span<const Index>());
    if (const auto value = evaluate_on_device(context, rows, W, gradient)) return *value;
    return on_samples<Scalar>({X_}, samples, name_, [&](const Samples<Scalar>& on) {
      return evaluate_on(context, on, W, gradient);
    });
  }

  std::string_view name_;
  ConstMatrixView<Scalar> X_;
  Index rows_;
  Index cols_;
};

}  // namespace krica
