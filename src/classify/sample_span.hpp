// SPDX-License-Identifier: BSD-3-Clause
//
// Fewer samples than features: the weights that minimise the SVM's objective are linear
// combinations of the samples, so the problem can be solved in their span. With Z Zᵀ = L Lᵀ the
// rows of L are the samples' coordinates in an orthonormal basis of the span: scores and norms of
// weights are the same there, with m coordinates instead of F features
// (docs/decisions/0008-svm-span.md).
#pragma once

#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

class SampleSpan {
 public:
  /// Whether to solve for m samples of F features in their span. Depends on nothing else, so that
  /// neither --memory nor the machine affects a model.
  static bool pays(Index m, Index F) { return m <= kMostSamples && 4 * m <= 3 * F; }

  /// The view must outlive the object.
  SampleSpan(const Context& context, ConstMatrixView<float> features);

  /// L, m×m, lower triangular.
  [[nodiscard]] ConstMatrixView<float> coordinates() const { return L_; }

  /// Converts weights on the coordinates, classes × (m + 1), to weights on the features, classes ×
  /// (F + 1). The bias stays last.
  [[nodiscard]] Matrix<float> to_weights(const Context& context, ConstMatrixView<float> V) const;

 private:
  static constexpr Index kMostSamples = 8192;  // 512 MiB for the Gram matrix, 256 for L

  [[nodiscard]] Matrix<double> gram(const Context& context) const;
  [[nodiscard]] Matrix<double> factor(const Context& context) const;
  void combine(ConstMatrixView<float> V, Index c, MatrixView<float> combination) const;

  ConstMatrixView<float> features_;
  Matrix<float> L_;
};

}  // namespace krica
