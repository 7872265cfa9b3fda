// SPDX-License-Identifier: BSD-3-Clause
//
// For each sample the row of W with the highest score: the inner loop of K-means and spherical
// K-means.
//
//   u*(x) = argmax_u  w_u·x + d_u    or    argmax_u |w_u·x|
//
// Scores are compared in registers and never stored. Written with Highway: one source for all
// instruction sets, selected at run time. The result for a sample does not depend on its
// neighbours.
#pragma once

#include <memory>
#include <span>

#include "krica/runtime/matrix.hpp"

namespace krica {

template <class Scalar>
class BestRow {
 public:
  /// Packs W (K×n) and the offsets d (K).
  static std::unique_ptr<const BestRow> of_scores(ConstMatrixView<Scalar> W,
                                                  std::span<const Scalar> offsets);
  /// The same for |w_u·x|.
  static std::unique_ptr<const BestRow> of_magnitudes(ConstMatrixView<Scalar> W);
  virtual ~BestRow() = default;

  /// rows[i] = u*(x_i), the first one on ties; 0 if no score is a number. Single-threaded.
  virtual void find(ConstMatrixView<Scalar> X, Index* rows) const = 0;
};

}  // namespace krica
