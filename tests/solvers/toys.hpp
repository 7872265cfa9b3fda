// SPDX-License-Identifier: BSD-3-Clause
//
// Objectives for trying solvers: functions given as lambdas, and wrappers that count, or stop, or
// spoil what another objective computes.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "krica/runtime/context.hpp"
#include "krica/runtime/error.hpp"
#include "krica/solvers/objective.hpp"

namespace krica::toys {

/// f(w, gradient) of a rows×cols matrix.
template <class Scalar>
class Function final : public Objective<Scalar> {
 public:
  using Body = std::function<double(ConstMatrixView<Scalar>, MatrixView<Scalar>)>;
  Function(Index rows, Index cols, Body body) : rows_(rows), cols_(cols), body_(std::move(body)) {}

  [[nodiscard]] Index rows() const override { return rows_; }
  [[nodiscard]] Index cols() const override { return cols_; }
  double value_and_gradient(const Context&, ConstMatrixView<Scalar> W,
                            MatrixView<Scalar> gradient) override {
    return body_(W, gradient);
  }
  double value(const Context&, ConstMatrixView<Scalar> W) override {
    Matrix<Scalar> gradient(rows_, cols_);
    return body_(W, gradient);
  }

 private:
  Index rows_;
  Index cols_;
  Body body_;
};

/// The chained Rosenbrock function, as scipy.optimize.rosen.
template <class Scalar>
double rosenbrock(ConstMatrixView<Scalar> W, MatrixView<Scalar> gradient) {
  double value = 0;
  gradient.setZero();
  for (Index i = 0; i + 1 < W.cols(); ++i) {
    const auto x = static_cast<double>(W(0, i));
    const double bend = static_cast<double>(W(0, i + 1)) - x * x;
    value += 100 * bend * bend + (1 - x) * (1 - x);
    gradient(0, i) += static_cast<Scalar>(-400 * x * bend - 2 * (1 - x));
    gradient(0, i + 1) += static_cast<Scalar>(200 * bend);
  }
  return value;
}

/// -1.2, 1, -1.2, 1, ...
template <class Scalar>
Matrix<Scalar> rosenbrock_start(Index n) {
  Matrix<Scalar> start(1, n);
  for (Index i = 0; i < n; ++i) start(0, i) = static_cast<Scalar>(i % 2 == 0 ? -1.2 : 1.0);
  return start;
}

/// Another objective, observed: `before(n)` is called before, `value(n, f)` after the n-th
/// evaluation of any kind (n = 1, 2, ...); value's result takes f's place.
template <class Scalar>
class Observed final : public SampledObjective<Scalar>,
                       public BasisObjective<Scalar>,
                       public CurvedObjective<Scalar> {
 public:
  std::function<void(Index)> before = [](Index) {};
  std::function<double(Index, double)> after = [](Index, double f) { return f; };

  explicit Observed(Objective<Scalar>& inner)
      : inner_(inner),
        sampled_(dynamic_cast<SampledObjective<Scalar>*>(&inner)),
        basis_(dynamic_cast<BasisObjective<Scalar>*>(&inner)),
        curved_(dynamic_cast<CurvedObjective<Scalar>*>(&inner)) {}

  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] Index rows() const override { return inner_.rows(); }
  [[nodiscard]] Index cols() const override { return inner_.cols(); }
  [[nodiscard]] Index n_samples() const override { return sampled_->n_samples(); }

  double value_gradient_and_curvature(const Context& context, ConstMatrixView<Scalar> W,
                                      MatrixView<Scalar> gradient,
                                      std::span<double> curvature) override {
    return observed(
        [&] { return curved_->value_gradient_and_curvature(context, W, gradient, curvature); });
  }
  BasisCondition condition(const Context& context, ConstMatrixView<Scalar> W) override {
    return basis_ == nullptr ? BasisCondition::kSound : basis_->condition(context, W);
  }

 private:
  double evaluate(const Context& context, std::optional<std::span<const Index>> samples,
                  ConstMatrixView<Scalar> W, MatrixView<Scalar>* gradient) override {
    return observed([&] {
      if (gradient == nullptr)
        return samples ? sampled_->value_on(context, *samples, W) : inner_.value(context, W);
      return samples ? sampled_->value_and_gradient_on(context, *samples, W, *gradient)
                     : inner_.value_and_gradient(context, W, *gradient);
    });
  }

  template <class Evaluate>
  double observed(Evaluate&& evaluate) {
    before(++count_);
    return after(count_, evaluate());
  }

  Objective<Scalar>& inner_;
  SampledObjective<Scalar>* sampled_;  // null where inner_ is none; so are the next
  BasisObjective<Scalar>* basis_;
  CurvedObjective<Scalar>* curved_;
  Index count_ = 0;
};

}  // namespace krica::toys
