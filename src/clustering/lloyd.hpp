// SPDX-License-Identifier: BSD-3-Clause
//
// What K-means and spherical K-means share: alternately assign samples to rows and recompute rows
// from their samples. The bits do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "clustering/shared_assignment.hpp"
#include "krica/clustering/kmeans.hpp"
#include "runtime/check.hpp"
#include "runtime/large_matrix.hpp"
#include "runtime/ordered_reduce.hpp"

namespace krica::lloyd {

/// Scores are products, which must not overflow. Throws InvalidArgument for a squared norm of
/// `limit` or more.
template <class Scalar>
void require_squares(ConstMatrixView<Scalar> rows, std::string_view operation,
                     std::string_view name,
                     double limit = static_cast<double>(std::numeric_limits<Scalar>::max() / 4)) {
  double largest = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    release_pages_when_due();
    const Scalar* row = rows.data() + i * rows.outerStride();
    largest = std::max(largest, ordered_dot(row, row, rows.cols()));
  }
  require(largest < limit, operation, "{}: a squared norm of {} overflows, scale the values down",
          name, largest);
}

struct Turns {
  double cost = 0;
  Index iterations = 0;
  bool converged = false;  ///< the last iteration decreased the cost by at most the tolerance
};

/// Iterates until the cost returned by assign() decreases by at most tolerance times itself. Calls
/// the hook after each iteration, or reports progress without one. Options has max_iterations and
/// tolerance; update() changes `rows`.
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
    if (hook) {
      hook({turns.iterations, turns.cost, turns.converged, rows});
    } else {
      context.report({name, turns.iterations, options.max_iterations, turns.cost});
    }
  }
  return turns;
}

/// The sums of the samples assigned to each of K rows.
struct AssignedSums {
  Matrix<double> values;      ///< K × n: Σ weight_i x_i
  std::vector<Index> counts;  ///< K

  AssignedSums(Index K, Index n) : values(K, n), counts(static_cast<std::size_t>(K), 0) {}
  static auto members(auto& sums) { return std::tie(sums.values, sums.counts); }
};

/// Without weights, all are 1. Parts have several times as many samples as there are rows, so that
/// adding their sums costs little compared with computing them.
template <class Scalar>
AssignedSums assigned_sums(const Context& context, ConstMatrixView<Scalar> X,
                           std::span<const Index> assignment, std::span<const double> weights,
                           Index K) {
  const Partition parts(X.rows(), summed_rows(K));
  return ordered_reduce<AssignedSums>(
      context, parts.count(), work_of(X.size(), kPerValue),
      [&] { return AssignedSums(K, X.cols()); },
      [&](Index part, AssignedSums& sums) {
        for (Index i = parts[part].begin; i < parts[part].end; ++i) {
          const auto at = static_cast<std::size_t>(i);
          const double weight = weights.empty() ? 1.0 : weights[at];
          const Scalar* x = X.data() + i * X.outerStride();
          double* sum = sums.values.row(assignment[at]);
          for (Index j = 0; j < X.cols(); ++j) sum[j] += weight * static_cast<double>(x[j]);
          ++sums.counts[static_cast<std::size_t>(assignment[at])];
        }
      });
}

/// The `count` samples with the largest costs, largest first; ties in order of index.
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
