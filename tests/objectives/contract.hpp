// SPDX-License-Identifier: BSD-3-Clause
//
// What every sampled objective must hold, against a naive form of its formula.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "krica/solvers/objective.hpp"
#include "support/comparison.hpp"
#include "support/gradient_check.hpp"
#include "support/problems.hpp"
#include "support/tolerances.hpp"

namespace krica::support {

template <class Scalar>
using MakeObjective =
    std::function<std::unique_ptr<SampledObjective<Scalar>>(const Context&, const Matrix<Scalar>&)>;
using NaiveValue = std::function<double(const Matrix<double>& X, const Matrix<double>& W)>;

template <class Scalar>
Evaluated<Scalar> evaluate(const Context& context, const MakeObjective<Scalar>& make,
                           const Matrix<Scalar>& X, const Matrix<Scalar>& W) {
  Evaluated<Scalar> result{0, Matrix<Scalar>(W.rows(), W.cols())};
  result.value = make(context, X)->value_and_gradient(context, W, result.gradient);
  return result;
}

/// The value is the formula's, the gradient is its derivative, and a part of the samples is as good
/// as a problem of its own.
inline void expect_formula(const MakeObjective<double>& make, const NaiveValue& naive,
                           const Matrix<double>& X, const Matrix<double>& W,
                           double same_value = kSameValue) {
  const Context context({.threads = 2});
  const auto objective = make(context, X);
  Matrix<double> gradient(W.rows(), W.cols());
  const double value = objective->value_and_gradient(context, W, gradient);
  EXPECT_LT(relative_error(value, naive(X, W)), same_value);
  EXPECT_LT(relative_error(objective->value(context, W), value), same_value);
  EXPECT_LT(gradient_error(
                gradient, [&](const Matrix<double>& at) { return naive(X, at); }, W),
            kSameGradient);

  const std::vector<Index> rows = {7, 2, 11, 3, 5};
  Matrix<double> part(5, X.cols());
  for (Index i = 0; i < 5; ++i)
    part.view().row(i) = X.view().row(rows[static_cast<std::size_t>(i)]);
  EXPECT_LT(relative_error(objective->value_on(context, rows, W), naive(part, W)), same_value);
  objective->value_and_gradient_on(context, rows, W, gradient);
  EXPECT_LT(gradient_error(
                gradient, [&](const Matrix<double>& at) { return naive(part, at); }, W),
            kSameGradient);
}

/// The same bits for any number of threads, on enough samples for several tiles; float32 near
/// float64.
inline void expect_steady(const MakeObjective<float>& in_float,
                          const MakeObjective<double>& in_double, const Matrix<float>& X,
                          const Matrix<float>& W, double float_error = kFloatAgainstDouble) {
  const auto one = evaluate<float>(Context({.threads = 1}), in_float, X, W);
  for (const int threads : {2, 3, 4}) {
    const auto many = evaluate<float>(Context({.threads = threads}), in_float, X, W);
    EXPECT_TRUE(same_bits(one.value, many.value)) << threads;
    EXPECT_TRUE(same_bits(one.gradient, many.gradient)) << threads;
  }
  const auto exact = evaluate<double>(Context(), in_double, cast_to<double>(X), cast_to<double>(W));
  EXPECT_LT(relative_error(one.value, exact.value), float_error);
  EXPECT_LT(relative_error(one.gradient, exact.gradient), float_error);
}

/// Wrong shapes, NaN and empty batches are refused.
inline void expect_refusals(const MakeObjective<double>& make, const Matrix<double>& X,
                            const Matrix<double>& W) {
  const Context context;
  EXPECT_THROW(make(context, Matrix<double>(1, X.cols())), InvalidArgument);
  Matrix<double> holed = X;
  holed(1, 1) = NAN;
  EXPECT_THROW(make(context, holed), InvalidArgument);
  const auto objective = make(context, X);
  EXPECT_THROW(objective->value(context, Matrix<double>(W.rows() + 1, W.cols())), InvalidArgument);
  Matrix<double> gradient(W.rows(), W.cols() + 1);
  EXPECT_THROW(objective->value_and_gradient(context, W, gradient), InvalidArgument);
  EXPECT_THROW(objective->value_on(context, {}, W), InvalidArgument);
  const std::vector<Index> outside = {X.rows()};
  EXPECT_THROW(objective->value_on(context, outside, W), InvalidArgument);
  Matrix<double> bad = W;
  bad(0, 0) = NAN;
  EXPECT_THROW(objective->value(context, bad), InvalidArgument);
}

}  // namespace krica::support
