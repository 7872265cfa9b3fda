// SPDX-License-Identifier: BSD-3-Clause
//
// K-means: starting points for bases, landmarks, and a baseline of its own.
//
//   minimise Σ_i ‖x_i - c_{a(i)}‖² over K centres c and assignments a, by Lloyd's iterations from a
//   k-means++ start (Arthur and Vassilvitskii, SODA 2007).
//
// Distances come from matrix products. A centre without samples moves to the sample that is
// farthest from its own centre. The same bits for any number of threads.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "krica/runtime/context.hpp"
#include "krica/runtime/library.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

enum class KmeansStart {
  kPlusPlus,  ///< k-means++, on at most 32 samples a cluster where there are more
  kSamples,   ///< K different random samples
};
KRICA_EXPORT std::string_view name_of(KmeansStart start);

struct KRICA_EXPORT KmeansOptions {
  Index n_clusters = 0;  ///< K, in 1 ... number of samples
  KmeansStart start = KmeansStart::kPlusPlus;
  Index max_iterations = 50;  ///< >= 0; 0 gives the start
  double tolerance = 1e-5;    ///< stops when the inertia falls by less than this part; >= 0

  void validate(Index n_samples) const;
};

template <class Scalar>
struct KmeansResult {
  Matrix<Scalar> centers;         ///< K×n
  std::vector<Index> assignment;  ///< of every sample to the nearest of the centres
  double inertia = 0;             ///< Σ_i ‖x_i - c_{a(i)}‖²
  Index iterations = 0;
  bool converged = false;
};

/// What is told after every iteration of K-means and of its spherical form. Going on from `rows`
/// with as many iterations fewer gives what an uninterrupted run gives, unless this turn was the
/// last.
template <class Scalar>
struct ClusteringTurn {
  Index iteration = 0;  ///< from 1
  double cost = 0;      ///< of `rows`
  bool converged = false;
  ConstMatrixView<Scalar> rows;  ///< centres or atoms, K×n
};

template <class Scalar>
using ClusteringHook = std::function<void(const ClusteringTurn<Scalar>&)>;

/// Throws InvalidArgument for bad options, empty data, NaN, Inf or squares that overflow.
template <class Scalar>
KRICA_EXPORT KmeansResult<Scalar> kmeans(const Context& context, ConstMatrixView<Scalar> X,
                                         const KmeansOptions& options,
                                         const ClusteringHook<Scalar>& hook = {});

/// From given centres (K×n); options.start is not used.
template <class Scalar>
KRICA_EXPORT KmeansResult<Scalar> kmeans_from(const Context& context, ConstMatrixView<Scalar> X,
                                              ConstMatrixView<Scalar> centers,
                                              const KmeansOptions& options,
                                              const ClusteringHook<Scalar>& hook = {});

}  // namespace krica
