// SPDX-License-Identifier: BSD-3-Clause
//
// A change of variables that makes the SVM's objective nearly isotropic. Its Hessian for one class
// is r I + (2/m) Σ z_i z_iᵀ over the samples inside the margin, r = 1/(C m). Assuming that half of
// the samples are inside, M = r I + ZᵀZ/m = L Lᵀ is close to it for every class, and L-BFGS on V =
// W L converges in tens of iterations instead of many hundreds on W (docs/decisions/0004-svm.md).
// The solution does not depend on M.
//
// M is stored in diagonal blocks of at most kBlockFeatures features; the bias is a separate block.
#pragma once

#include <vector>

#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"
#include "runtime/parallel.hpp"

namespace krica {

namespace device {
class HingeSums;
}

class FeatureMetric {
 public:
  /// The Gram matrix of the features (m×F) on at most kGramRows samples, evenly spaced; computed by
  /// `on_device`, made of the same features, unless it is null.
  FeatureMetric(const Context& context, ConstMatrixView<float> features,
                device::HingeSums* on_device = nullptr);

  /// L⁻¹ for r > 0, rounded to a power of ten. Increases r if rounding has made M indefinite. Does
  /// nothing if the rounded r has not changed.
  void factor(const Context& context, double r);

  /// All in place, classes × (F + 1), the bias last.
  void to_weights(const Context& context, MatrixView<float> V) const;  ///< V -> W = V L⁻¹
  void from_weights(MatrixView<float> W) const;                        ///< W -> V = W L
  void to_gradient(const Context& context, MatrixView<float> dW) const;  ///< ∂f/∂W -> ∂f/∂W L⁻ᵀ

 private:
  struct Block {
    Range features;
    Matrix<float> gram_and_inverse;  // ZᵀZ/m below the diagonal, L⁻ᵀ on it and above
    std::vector<float> gram_diagonal;
  };

  static void add_gram(const Context& context, ConstMatrixView<float> features, Index step,
                       Matrix<float>& gram);
  static void factor_block(const Context& context, Block& block, double r);

  std::vector<Block> blocks_;
  double factored_for_ = 0;
  float bias_scale_ = 1;
};

}  // namespace krica
