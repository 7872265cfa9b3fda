// SPDX-License-Identifier: BSD-3-Clause
//
// Small seeded problems, and their evaluation in either precision.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "krica/runtime/context.hpp"

namespace krica::support {

struct Problem {
  Matrix<double> X;         // m×n samples
  Matrix<double> W;         // K×n basis
  std::vector<int> labels;  // m values, every class present
};

struct ProblemSize {
  Index m = 23;
  Index n = 5;
  Index K = 12;
  int classes = 3;
};

/// Entries in (-1, 1). Within a column no two values, of samples or atoms, are nearer than
/// 1/(m+K): differences with a smaller step cross no kink of the histogram intersection.
inline Problem random_problem(ProblemSize size = {}, std::uint64_t seed = 1) {
  Random random(seed, "tests.problem");
  Matrix<double> X(size.m, size.n);
  Matrix<double> W(size.K, size.n);
  const Index count = size.m + size.K;
  for (Index j = 0; j < size.n; ++j) {
    const std::vector<Index> places = random_permutation(random, count);
    for (Index i = 0; i < count; ++i) {
      const double place = static_cast<double>(places[i]) + 0.5 * random.uniform();
      const double value = 2 * (place + 0.25) / static_cast<double>(count) - 1;
      (i < size.m ? X(i, j) : W(i - size.m, j)) = value;
    }
  }
  std::vector<int> labels;
  for (const Index i : random_permutation(random, size.m))
    labels.push_back(static_cast<int>(i % size.classes));
  return {std::move(X), std::move(W), std::move(labels)};
}

template <class Scalar>
Matrix<Scalar> random_matrix(Index rows, Index cols, std::uint64_t seed = 1) {
  Random random(seed, "tests.matrix");
  Matrix<Scalar> matrix(rows, cols);
  for (Index e = 0; e < matrix.size(); ++e) matrix.data()[e] = static_cast<Scalar>(random.normal());
  return matrix;
}

template <class To, class From>
Matrix<To> cast_to(const Matrix<From>& matrix) {
  Matrix<To> copy(matrix.rows(), matrix.cols());
  for (Index e = 0; e < matrix.size(); ++e) copy.data()[e] = static_cast<To>(matrix.data()[e]);
  return copy;
}

/// The same problem with entries that float32 holds exactly.
inline Problem rounded_to_float(const Problem& problem) {
  return {cast_to<double>(cast_to<float>(problem.X)), cast_to<double>(cast_to<float>(problem.W)),
          problem.labels};
}

/// KricaObjective or RicaObjective, by their options.
template <class Scalar>
KricaObjective<Scalar> objective_of(const Matrix<Scalar>& X, const KricaOptions& options,
                                    std::span<const int> labels) {
  return {X, options, labels};
}
template <class Scalar>
RicaObjective<Scalar> objective_of(const Matrix<Scalar>& X, const RicaOptions& options,
                                   std::span<const int> labels) {
  return {X, options, labels};
}

template <class Scalar>
struct Evaluated {
  double value = 0;
  Matrix<Scalar> gradient;
};

template <class Scalar, class Options>
Evaluated<Scalar> evaluate(const Context& context, const Problem& problem, const Options& options) {
  const Matrix<Scalar> X = cast_to<Scalar>(problem.X);
  const Matrix<Scalar> W = cast_to<Scalar>(problem.W);
  auto objective = objective_of<Scalar>(X, options, problem.labels);
  Evaluated<Scalar> result{0, Matrix<Scalar>(W.rows(), W.cols())};
  result.value = objective.value_and_gradient(context, W, result.gradient);
  return result;
}

}  // namespace krica::support
