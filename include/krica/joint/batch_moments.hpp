// SPDX-License-Identifier: BSD-3-Clause
//
// Standardisation of features by their batch's own moments:
//
//   ẑ = (z - μ) / σ,   μ the batch's mean, σ² = its variance (1/N) + floor, feature by feature
//
// Backwards, through both moments (bars are means over the batch):
//
//   ∂L/∂z = (Q - Q̄ - ẑ ∘ mean(Q ∘ ẑ)) / σ,   Q = ∂L/∂ẑ
//
// Running moments, r ← 0.95 r + 0.05 batch, serve prediction.
#pragma once

#include <vector>

#include "krica/runtime/context.hpp"

namespace krica {

/// Added to variances: a feature that hardly varies is not blown up.
inline constexpr double kVarianceFloor = 1e-6;

struct BatchMoments {
  std::vector<double> mean;
  std::vector<double> variance;  ///< without the floor

  /// 1/σ of feature j.
  [[nodiscard]] double inverse_deviation(Index j) const;
  /// Running moments: moves a part of the way to the batch's. The first batch is taken as it is.
  void follow(const BatchMoments& batch);
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
