// SPDX-License-Identifier: BSD-3-Clause
//
// Standardisation of features by the moments of their batch:
//
//   ẑ = (z - μ) / σ,   μ the batch's mean, σ² = its variance (1/N) + floor, feature by feature
//
// Backward, through both moments (bars are means over the batch):
//
//   ∂L/∂z = (Q - Q̄ - ẑ ∘ mean(Q ∘ ẑ)) / σ,   Q = ∂L/∂ẑ
//
// Prediction standardises by the moments of all training images, computed with the final atoms:
// running means of batch moments lag behind moving atoms, and with few steps per epoch so far that
// the scores were useless (docs/decisions/0011-small-sets.md).
#pragma once

#include <vector>

#include "runtime/column_moments.hpp"
#include "runtime/ordered_reduce.hpp"

namespace krica {

/// Added to variances, so that features that hardly vary are not amplified.
inline constexpr double kVarianceFloor = 1e-6;

struct BatchMoments {
  std::vector<double> mean;
  std::vector<double> variance;  ///< without the floor

  /// 1/σ of feature j.
  [[nodiscard]] double inverse_deviation(Index j) const;
};

/// The moments of many rows that arrive in parts, added in the order of runtime/ordered_reduce.hpp.
class MomentSums {
 public:
  explicit MomentSums(Index parts) : sums_(parts) {}

  /// The next part: rows of F values, the same F in every call.
  template <class Scalar>
  void add(const Context& context, ConstMatrixView<Scalar> rows);
  /// Call once, after the last of at least one part.
  [[nodiscard]] BatchMoments moments();

 private:
  Index added_ = 0;
  TreeSum<ColumnMoments> sums_;
};

/// Standardises Z (N × F, N >= 2) in place and returns the moments used.
template <class Scalar>
BatchMoments standardise_batch(const Context& context, MatrixView<Scalar> Z);

/// Turns Q = ∂L/∂ẑ into ∂L/∂z in place. Z: the standardised batch.
template <class Scalar>
void standardise_batch_backward(const Context& context, const BatchMoments& moments,
                                ConstMatrixView<Scalar> Z, MatrixView<Scalar> Q);

/// Standardises Z in place with given moments.
template <class Scalar>
void standardise_with(const Context& context, const BatchMoments& moments, MatrixView<Scalar> Z);

}  // namespace krica
