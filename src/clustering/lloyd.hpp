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
/// itself. Tells the hook of each; without one, reports it. Options has max_iterations and
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

/// The samples of each of K rows.
class Members {
 public:
  Members(std::span<const Index> assignment, Index K)
      : begins_(static_cast<std::size_t>(K) + 1, 0), samples_(assignment.size()) {
    for (const Index k : assignment) ++begins_[static_cast<std::size_t>(k) + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    std::vector<Index> next = begins_;
    for (std::size_t i = 0; i < assignment.size(); ++i) {
      Index& place = next[static_cast<std::size_t>(assignment[i])];
      samples_[static_cast<std::size_t>(place++)] = static_cast<Index>(i);
    }
  }

  /// Of row k, in ascending order.
  [[nodiscard]] std::span<const Index> of(Index k) const {
    return std::span(samples_).subspan(begin(k), static_cast<std::size_t>(count(k)));
  }
  [[nodiscard]] Index count(Index k) const {
    return begins_[static_cast<std::size_t>(k) + 1] - begins_[static_cast<std::size_t>(k)];
  }

 private:
  [[nodiscard]] std::size_t begin(Index k) const {
    return static_cast<std::size_t>(begins_[static_cast<std::size_t>(k)]);
  }

  std::vector<Index> begins_;  // of the rows' parts of samples_, and the end
  std::vector<Index> samples_;
};

/// Rows cut into runs of at most kRunSamples samples, so that one row with most of the samples
/// keeps no thread busy alone. Cut by sizes, so that the order of the sums is fixed.
struct Run {
  Index row;
  Range samples;  // of those of the row
};

inline std::vector<Run> runs_of(const Members& members, Index K) {
  constexpr Index kRunSamples = 1024;
  std::vector<Run> runs;
  for (Index k = 0; k < K; ++k) {
    const Partition parts(members.count(k), kRunSamples);
    for (Index part = 0; part < parts.count(); ++part) runs.push_back({k, parts[part]});
  }
  return runs;
}

/// sum += Σ weight_i x_i over the given samples. No weights: all 1.
template <class Scalar>
void add_samples(ConstMatrixView<Scalar> X, std::span<const Index> samples,
                 std::span<const double> weights, double* sum) {
  for (const Index i : samples) {
    const double weight = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(i)];
    const Scalar* x = X.data() + i * X.outerStride();
    for (Index j = 0; j < X.cols(); ++j) sum[j] += weight * static_cast<double>(x[j]);
  }
}

/// Σ weight_i x_i over the samples of each of K rows, in double. No weights: all 1.
template <class Scalar>
Matrix<double> assigned_sums(const Context& context, ConstMatrixView<Scalar> X,
                             const Members& members, std::span<const double> weights, Index K) {
  constexpr Index kRunsAtATime = 16;
  const std::vector<Run> runs = runs_of(members, K);
  Matrix<double> parts(static_cast<Index>(runs.size()), X.cols());
  const Partition tiles(parts.rows(), kRunsAtATime);
  parallel_for(context, tiles.count(), work_of(X.size(), kPerValue), [&](Index t) {
    for (Index r = tiles[t].begin; r < tiles[t].end; ++r) {
      const auto& [row, range] = runs[static_cast<std::size_t>(r)];
      const auto samples = members.of(row).subspan(static_cast<std::size_t>(range.begin),
                                                   static_cast<std::size_t>(range.size()));
      add_samples(X, samples, weights, parts.row(r));
    }
  });
  Matrix<double> sums(K, X.cols());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const double* part = parts.row(static_cast<Index>(r));
    double* sum = sums.row(runs[r].row);
    for (Index j = 0; j < X.cols(); ++j) sum[j] += part[j];
  }
  return sums;
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
