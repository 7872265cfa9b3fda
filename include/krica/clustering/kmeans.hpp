// SPDX-License-Identifier: BSD-3-Clause
//
// K-means: initial atoms, landmarks, and a baseline method.
//
//   minimise Σ_i ‖x_i - c_{a(i)}‖² over K centres c and assignments a, by Lloyd's iterations from a
//   k-means++ start (Arthur and Vassilvitskii, SODA 2007).
//
// Distances are computed with matrix products. A centre without samples moves to the sample that is
// farthest from its own centre. Results are the same bits for any number of threads.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "krica/runtime/context.hpp"
#include "krica/runtime/library.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

enum class KmeansStart {
  kPlusPlus,  ///< k-means++, on a subset of 32 samples per cluster if there are more
  kSamples,   ///< K distinct random samples
};
KRICA_EXPORT std::string_view name_of(KmeansStart start);

struct KRICA_EXPORT KmeansOptions {
  Index n_clusters = 0;  ///< K, in 1 ... number of samples
  KmeansStart start = KmeansStart::kPlusPlus;
  Index max_iterations = 50;  ///< >= 0; 0 returns the start
  double tolerance = 1e-5;  ///< stops when the relative decrease of the inertia is below this; >= 0

  void validate(Index n_samples) const;
};

template <class Scalar>
struct KmeansResult {
  Matrix<Scalar> centers;         ///< K×n
  std::vector<Index> assignment;  ///< index of each sample's nearest centre
  double inertia = 0;             ///< Σ_i ‖x_i - c_{a(i)}‖²
  Index iterations = 0;
  bool converged = false;
};

/// Reported after each iteration of K-means and spherical K-means. Continuing from `rows` with the
/// remaining number of iterations gives the result of an uninterrupted run, unless this iteration
/// was the last.
template <class Scalar>
struct ClusteringTurn {
  Index iteration = 0;  ///< from 1
  double cost = 0;      ///< of `rows`
  bool converged = false;
  ConstMatrixView<Scalar> rows;  ///< centres or atoms, K×n
};

template <class Scalar>
using ClusteringHook = std::function<void(const ClusteringTurn<Scalar>&)>;

/// Throws InvalidArgument for invalid options, empty data, NaN, Inf or squares that overflow.
template <class Scalar>
KRICA_EXPORT KmeansResult<Scalar> kmeans(const Context& context, ConstMatrixView<Scalar> X,
                                         const KmeansOptions& options,
                                         const ClusteringHook<Scalar>& hook = {});

/// From given centres (K×n); options.start is ignored.
template <class Scalar>
KRICA_EXPORT KmeansResult<Scalar> kmeans_from(const Context& context, ConstMatrixView<Scalar> X,
                                              ConstMatrixView<Scalar> centers,
                                              const KmeansOptions& options,
                                              const ClusteringHook<Scalar>& hook = {});

}  // namespace krica
