// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "krica/runtime/matrix.hpp"

namespace krica {

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

}  // namespace krica
