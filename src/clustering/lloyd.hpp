// SPDX-License-Identifier: BSD-3-Clause
//
// What K-means and its spherical form share: samples choose their rows, rows are made anew from
// their samples, in turns. Bits do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "krica/clustering/turn.hpp"
#include "runtime/check.hpp"
#include "runtime/parallel.hpp"

namespace krica::lloyd {

/// Scores are products, which must not overflow. Throws InvalidArgument for a squared norm from
/// `limit` on.
template <class Scalar>
void require_squares(ConstMatrixView<Scalar> rows, std::string_view operation,
                     std::string_view name,
                     double limit = static_cast<double>(std::numeric_limits<Scalar>::max() / 4)) {
  double largest = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    const Scalar* row = rows.data() + i * rows.outerStride();
    largest = std::max(largest, ordered_dot(row, row, rows.cols()));
  }
  require(largest < limit, operation, "{}: a squared norm of {} overflows, scale the values down",
          name, largest);
}

struct Turns {
  double cost = 0;
  Index iterations = 0;
  bool converged = false;  ///< the last turn lowered the cost by at most the tolerance
};

/// Takes turns until the cost, which assign() returns, falls by no more than tolerance times
/// itself; tells the hook of each. Options has max_iterations and tolerance; update() changes
/// `rows`.
template <class Scalar, class Options, class Assign, class Update>
Turns take_turns(const Context& context, std::string_view name, const Options& options,
                 const Matrix<Scalar>& rows, const ClusteringHook<Scalar>& hook, Assign assign,
                 Update update) {
  Turns turns{assign()};
  while (!turns.converged && turns.iterations < options.max_iterations) {
    update();
    const double next = assign();
    ++turns.iterations;
    turns.converged = turns.cost - next <= options.tolerance * turns.cost;
    turns.cost = next;
    if (hook) hook({turns.iterations, turns.cost, turns.converged, rows});
    context.report({name, turns.iterations, options.max_iterations, turns.cost});
  }
  return turns;
}

/// Σ weight_i x_i over the samples of each of K rows, in double. No weights: all 1.
template <class Scalar>
Matrix<double> assigned_sums(const Context& context, ConstMatrixView<Scalar> X,
                             std::span<const Index> assignment, std::span<const double> weights,
                             Index K) {
  constexpr Index kParts = 16;  // fixed, so that the order of the sums is
  const Partition parts(X.rows(), (X.rows() + kParts - 1) / kParts);
  std::vector<Matrix<double>> sums(static_cast<std::size_t>(parts.count()));
  parallel_for(context, parts.count(), [&](Index part) {
    Matrix<double>& sum = sums[static_cast<std::size_t>(part)] = Matrix<double>(K, X.cols());
    for (Index i = parts[part].begin; i < parts[part].end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double weight = weights.empty() ? 1.0 : weights[at];
      const Scalar* x = X.data() + i * X.outerStride();
      double* row = sum.row(assignment[at]);
      for (Index j = 0; j < X.cols(); ++j) row[j] += weight * static_cast<double>(x[j]);
    }
  });
  const Partition rows(K, 64);
  parallel_for(context, rows.count(), [&](Index t) {
    for (std::size_t part = 1; part < sums.size(); ++part) {
      for (Index i = rows[t].begin * X.cols(); i < rows[t].end * X.cols(); ++i)
        sums[0].data()[i] += sums[part].data()[i];
    }
  });
  return std::move(sums[0]);
}

/// The `count` samples with the largest costs, the largest first, the first of equals first.
inline std::vector<Index> costliest(std::span<const double> costs, std::size_t count) {
  std::vector<Index> samples(costs.size());
  std::iota(samples.begin(), samples.end(), Index{0});
  const auto more = [&](Index a, Index b) {
    const double cost_a = costs[static_cast<std::size_t>(a)];
    const double cost_b = costs[static_cast<std::size_t>(b)];
    return cost_a != cost_b ? cost_a > cost_b : a < b;
  };
  count = std::min(count, samples.size());
  std::partial_sort(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(count),
                    samples.end(), more);
  samples.resize(count);
  return samples;
}

}  // namespace krica::lloyd
