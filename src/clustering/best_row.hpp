// SPDX-License-Identifier: BSD-3-Clause
//
// For every sample the row of W that answers most: the inner loop of K-means and of its spherical
// form.
//
//   u*(x) = argmax_u  w_u·x + d_u    or    argmax_u |w_u·x|
//
// Scores are compared in registers and never stored. Written with Highway: every instruction set
// from one source, chosen at run time. A sample's answer does not depend on the samples beside it.
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

  /// rows[i] = u*(x_i), the first of equals; 0 where no score is a number. One thread.
  virtual void find(ConstMatrixView<Scalar> X, Index* rows) const = 0;
};

}  // namespace krica
