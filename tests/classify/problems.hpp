// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krica/runtime/context.hpp"
#include "support/problems.hpp"

namespace krica::support {

struct Classes {
  Matrix<float> features;
  std::vector<int> labels;
};

/// Gaussian clouds around random centres, `spread` times as wide as the centres are apart.
inline Classes clouds(Index m, Index n, int classes, double spread, std::uint64_t seed) {
  Classes problem{Matrix<float>(m, n), {}};
  const Matrix<float> centres = random_matrix<float>(classes, n, seed);
  for (Index i = 0; i < m; ++i) {
    Random random(seed, "tests.clouds", static_cast<std::uint64_t>(i));
    const int label = static_cast<int>(i % classes);
    for (Index j = 0; j < n; ++j) {
      problem.features(i, j) =
          static_cast<float>(static_cast<double>(centres(label, j)) + spread * random.normal());
    }
    problem.labels.push_back(label);
  }
  return problem;
}

/// The objective of krica/classify/linear_classifier.hpp, in double and plain loops.
inline double svm_objective(const Classes& problem, ConstMatrixView<float> weights, double C,
                            const std::vector<double>& sample_weights = {}) {
  const Index F = problem.features.cols();
  double value = 0;
  for (Index c = 0; c < weights.rows(); ++c) {
    for (Index j = 0; j <= F; ++j)
      value += 0.5 * static_cast<double>(weights(c, j)) * static_cast<double>(weights(c, j));
    for (Index i = 0; i < problem.features.rows(); ++i) {
      double score = static_cast<double>(weights(c, F));
      for (Index j = 0; j < F; ++j) {
        score += static_cast<double>(weights(c, j)) * static_cast<double>(problem.features(i, j));
      }
      const double y = problem.labels[static_cast<std::size_t>(i)] == c ? 1 : -1;
      const double margin = std::max(0.0, 1 - y * score);
      value += C * (sample_weights.empty() ? 1.0 : sample_weights[static_cast<std::size_t>(i)]) *
               margin * margin;
    }
  }
  return value;
}

/// ‖∂f/∂W‖ of the same.
inline double gradient_norm(const Classes& problem, ConstMatrixView<float> weights, double C) {
  const Index F = problem.features.cols();
  double squares = 0;
  for (Index c = 0; c < weights.rows(); ++c) {
    std::vector<double> gradient;
    for (Index j = 0; j <= F; ++j) gradient.push_back(static_cast<double>(weights(c, j)));
    for (Index i = 0; i < problem.features.rows(); ++i) {
      double score = static_cast<double>(weights(c, F));
      for (Index j = 0; j < F; ++j)
        score += static_cast<double>(weights(c, j)) * static_cast<double>(problem.features(i, j));
      const double y = problem.labels[static_cast<std::size_t>(i)] == c ? 1 : -1;
      const double slope = -2 * C * y * std::max(0.0, 1 - y * score);
      for (Index j = 0; j < F; ++j)
        gradient[static_cast<std::size_t>(j)] +=
            slope * static_cast<double>(problem.features(i, j));
      gradient.back() += slope;
    }
    for (const double element : gradient) squares += element * element;
  }
  return std::sqrt(squares);
}

}  // namespace krica::support
