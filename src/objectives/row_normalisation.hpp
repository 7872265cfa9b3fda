// SPDX-License-Identifier: BSD-3-Clause
//
// V = W with normalised rows, and gradients in V pulled back to W:
//   v = w/ρ, ρ = sqrt(‖w‖² + c), c = 0 (exact) or 1e-5 (soft)
//   ⇒  ∂f/∂w = (g - (g·v) v)/ρ, g = ∂f/∂v.
#pragma once

#include <cmath>
#include <vector>

#include "krica/objectives/rica.hpp"
#include "runtime/check.hpp"
#include "runtime/parallel.hpp"

namespace krica {

template <class Scalar>
class RowNormalisation {
 public:
  RowNormalisation(RowNorm kind, ConstMatrixView<Scalar> W) : kind_(kind), W_(W) {
    if (kind == RowNorm::kNone) return;
    V_ = Matrix<Scalar>(W.rows(), W.cols());
    for (Index p = 0; p < W.rows(); ++p) {
      const Scalar* w = W.data() + p * W.outerStride();
      const double norm =
          std::sqrt(ordered_dot(w, w, W.cols()) + (kind == RowNorm::kSoft ? kSoftening : 0.0));
      require(norm > 0, "rica",
              "row {} of W is zero and cannot be normalised; use row_norm none or soft", p);
      norms_.push_back(norm);
      for (Index j = 0; j < W.cols(); ++j)
        V_(p, j) = static_cast<Scalar>(static_cast<double>(w[j]) / norm);
    }
  }

  // NOLINTNEXTLINE(readability-identifier-naming): as in docs/math.md
  [[nodiscard]] ConstMatrixView<Scalar> V() const {
    return kind_ == RowNorm::kNone ? W_ : ConstMatrixView<Scalar>(V_);
  }

  /// Row p of the gradient in W from that in V.
  void pull_back(Index p, const double* gradient_v, Scalar* gradient_w) const {
    double along = 0;
    double norm = 1;
    if (kind_ != RowNorm::kNone) {
      norm = norms_[static_cast<std::size_t>(p)];
      for (Index j = 0; j < W_.cols(); ++j) along += gradient_v[j] * static_cast<double>(V_(p, j));
    }
    for (Index j = 0; j < W_.cols(); ++j) {
      const double across = kind_ == RowNorm::kNone ? 0.0 : along * static_cast<double>(V_(p, j));
      gradient_w[j] = static_cast<Scalar>((gradient_v[j] - across) / norm);
    }
  }

 private:
  static constexpr double kSoftening = 1e-5;

  RowNorm kind_;
  ConstMatrixView<Scalar> W_;
  Matrix<Scalar> V_;
  std::vector<double> norms_;
};

}  // namespace krica
