// SPDX-License-Identifier: BSD-3-Clause
//
// The lasso in Gram form: a code s of K values for one sample, known only through inner products
//
//   minimise p(s) = ‖φ - Φᵀs‖² + λ‖s‖₁ = self - 2 s·c + s G sᵀ + λ‖s‖₁,
//   G = ΦΦᵀ (K×K), c = Φφ, self = φ·φ
//
// by coordinate descent on a working set A of atoms, s_u ← soft(c_u - Σ_{v≠u} G_uv s_v, λ/2) /
// G_uu, which only touches G_AA; then Φr = c - G_A s_A of all atoms (K |A| multiply-adds) tells
// which atoms violate |Φ_u r| <= λ/2, and the worst of them join A. It stops when the duality gap
// proves that p(s) is within tolerance·self of the minimum. The dual point is t·r with the residual
// r = φ
// - Φᵀs and the best feasible t (|t Φr| <= λ/2), so the gap costs K operations. Friedman, Hastie,
// Tibshirani, "Regularization Paths for Generalized Linear Models via Coordinate Descent", Journal
// of Statistical Software 33(1), 2010; gap as in Kim et al., "An Interior-Point Method for
// Large-Scale ℓ1-Regularized Least Squares", 2007.
//
// scikit-learn's SparseCoder minimises half of this, ½‖x - Dᵀs‖² + α‖s‖₁, so λ = 2α.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "krica/runtime/matrix.hpp"

namespace krica {

struct GramLassoOptions {
  double sparsity = 0.1;    ///< λ > 0
  double tolerance = 1e-6;  ///< of the duality gap as a fraction of `self`, > 0
  Index max_sweeps = 1000;  ///< over the coordinates, >= 1

  void validate() const;
};

struct GramLassoResult {
  double value = 0;  ///< p(s)
  double gap = 0;    ///< p(s) exceeds the minimum by at most this
  Index sweeps = 0;  ///< over the working set
};

/// float suffices for a tolerance of 1e-5 or more.
template <class Scalar>
class GramLasso {
 public:
  /// Copies G, which must be symmetric and finite with a positive diagonal. Throws InvalidArgument.
  GramLasso(ConstMatrixView<Scalar> G, const GramLassoOptions& options);

  [[nodiscard]] Index components() const { return G_.rows(); }

  /// Starts from the given code (zeros, or a warm start) and replaces it with the solution.
  /// correlations is c, K values. `support`, unless null, receives the atoms of the code, in no
  /// order. Thread-safe.
  // NOLINTNEXTLINE(modernize-use-nodiscard): the code is the result that most callers want
  GramLassoResult solve(std::span<const Scalar> correlations, double self, std::span<Scalar> code,
                        std::vector<std::int32_t>* support = nullptr) const;

 private:
  class Descent;

  Matrix<Scalar> G_;
  GramLassoOptions options_;
};

}  // namespace krica
