// SPDX-License-Identifier: BSD-3-Clause
//
// Spherical K-means, the dictionary of one-atom matching pursuit (OMP-1, gain-shape vector
// quantisation):
//
//   minimise Σ_i ‖x_i - g_i d_{a(i)}‖² over K unit-norm atoms d, assignments a and gains g
//
// by alternating a(i) = argmax_u |d_u·x_i| with g_i = d_{a(i)}·x_i of either sign, and d_u ←
// Σ_{a(i)=u} g_i x_i, scaled to length 1. Neither step increases the cost. An atom without samples
// moves to one of the worst-coded samples. A. Coates, A. Ng, "The Importance of Encoding Versus
// Training with Sparse Coding and Vector Quantization", ICML 2011; and "Learning Feature
// Representations with K-means", 2012, whose damped update (+ d_u) is omitted: it only slows down
// convergence to the same fixed points.
#pragma once

#include <vector>

#include "krica/clustering/kmeans.hpp"
#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

struct SphericalKmeansOptions {
  Index n_clusters = 0;       ///< K >= 1
  Index max_iterations = 50;  ///< >= 0
  double tolerance = 1e-5;    ///< stops when the relative decrease of the cost is below this; >= 0

  void validate() const;
};

template <class Scalar>
struct SphericalKmeansResult {
  Matrix<Scalar> atoms;           ///< K×n, unit norm
  std::vector<Index> assignment;  ///< atom of each sample
  double cost = 0;                ///< Σ_i ‖x_i‖² - g_i²
  Index iterations = 0;
  bool converged = false;
};

/// From given atoms (K×n, of any length but 0). Throws InvalidArgument for invalid options, empty
/// data, atoms of length 0, NaN, Inf or squares that overflow. The same bits for any number of
/// threads.
template <class Scalar>
SphericalKmeansResult<Scalar> spherical_kmeans(const Context& context, ConstMatrixView<Scalar> X,
                                               ConstMatrixView<Scalar> start,
                                               const SphericalKmeansOptions& options,
                                               const ClusteringHook<Scalar>& hook = {});

}  // namespace krica
