// SPDX-License-Identifier: BSD-3-Clause
//
// The Amari distance of an unmixing matrix from the inverse of a mixing matrix (Amari, Cichocki,
// Yang, "A New Learning Algorithm for Blind Signal Separation", NIPS 1995), normalised to [0, 1]:
//   with P = unmixing · mixing, n×n,
//   1/(2n(n-1)) [ Σ_i (Σ_j |P_ij| / max_k |P_ik| - 1) + Σ_j (Σ_i |P_ij| / max_k |P_kj| - 1) ].
// 0 where P is a permutation times a scaling: every source is found, in some order and scale.
// 1 where all |P_ij| are equal.
#pragma once

#include <Eigen/Core>

namespace krica::tests {

inline double amari_distance(const Eigen::MatrixXd& unmixing, const Eigen::MatrixXd& mixing) {
  const Eigen::MatrixXd P = (unmixing * mixing).cwiseAbs();
  const auto n = static_cast<double>(P.rows());
  const double by_rows = (P.rowwise().sum().array() / P.rowwise().maxCoeff().array() - 1).sum();
  const double by_cols = (P.colwise().sum().array() / P.colwise().maxCoeff().array() - 1).sum();
  return (by_rows + by_cols) / (2 * n * (n - 1));
}

}  // namespace krica::tests
