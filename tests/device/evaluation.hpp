// SPDX-License-Identifier: BSD-3-Clause
//
// What the tests of twins share: a context on the GPU, and an objective's value and gradient.
#pragma once

#include <cstring>
#include <optional>
#include <span>

#include "objectives/evaluated_objective.hpp"

namespace krica::device {

using Rows = std::optional<std::span<const Index>>;

inline Context gpu(Precision precision, std::int64_t memory = 0, std::uint64_t seed = 0) {
  return Context(
      {.seed = seed, .device = "cuda", .precision = precision, .device_memory_bytes = memory});
}

template <class Scalar>
struct Evaluation {
  double value = 0;
  Matrix<Scalar> gradient;

  bool operator==(const Evaluation& other) const {
    return value == other.value &&
           std::memcmp(gradient.data(), other.gradient.data(),
                       static_cast<std::size_t>(gradient.size()) * sizeof(Scalar)) == 0;
  }
};

/// On these rows, or on all.
template <class Scalar>
Evaluation<Scalar> evaluate(SampledObjective<Scalar>& objective, const Context& context, Rows rows,
                            const Matrix<Scalar>& W) {
  Evaluation<Scalar> result = {0, Matrix<Scalar>(W.rows(), W.cols())};
  result.value = rows ? objective.value_and_gradient_on(context, *rows, W, result.gradient)
                      : objective.value_and_gradient(context, W, result.gradient);
  return result;
}

}  // namespace krica::device
