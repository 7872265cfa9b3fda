// SPDX-License-Identifier: BSD-3-Clause
//
// Kernel sparse representation: the basis with the lowest cost of kernel sparse codes,
//
//   f(W) = 1/m Σ_i min_s [ κ(x_i,x_i) - 2 s·κ(W,x_i) + s G sᵀ + λ‖s‖₁ ],   G_uv = κ(w_u, w_v)
//
// S. Gao, I. Tsang, L.-T. Chia, "Kernel Sparse Representation for Image Classification and Face
// Recognition", ECCV 2010. The inner minimum is a lasso in Gram form
// (solvers/gram_lasso.hpp), solved to the stated tolerance. At the minimising codes C the
// derivative through them vanishes, so
//   ∂f/∂S = -2C/m,   ∂f/∂G = CᵀC/m
// and the gradient is that of kernel_gradient.hpp; it is exact up to the root of the tolerance.
//
// Evaluations on all samples start from the codes kept last (keep_codes), evaluations on a subset
// from zero. The kept codes are part of a solver's state: save_codes and load_codes.
#pragma once

#include <utility>
#include <vector>

#include "krica/kernels/kernel.hpp"
#include "krica/runtime/archive.hpp"
#include "krica/solvers/objective.hpp"
#include "objectives/evaluated_objective.hpp"
#include "objectives/kernel_gradient.hpp"

namespace krica {

template <class Scalar>
class GramLasso;

struct KsrOptions {
  Index n_components = 0;  ///< K > 0
  Kernel kernel = {};
  double sparsity = 0.1;  ///< λ > 0
  /// A code's cost is within this fraction of κ(x,x) of the minimum; > 0.
  double tolerance = 1e-6;

  void validate() const;
};

template <class Scalar>
class KsrObjective final : public EvaluatedObjective<Scalar>, public BasisObjective<Scalar> {
 public:
  KsrObjective(ConstMatrixView<Scalar> X, const KsrOptions& options);

  [[nodiscard]] BasisCondition condition(const Context& context,
                                         ConstMatrixView<Scalar> W) override;

  /// Starts the next evaluations from the codes of the last evaluation on all samples.
  void keep_codes() { kept_ = latest_; }
  void save_codes(Archive& state) const;
  void load_codes(const Archive& state);

 private:
  using SparseCode = std::vector<std::pair<Index, double>>;

  double evaluate_on(const Context& context, const Samples<Scalar>& batch,
                     ConstMatrixView<Scalar> W, MatrixView<Scalar>* gradient) override;
  double solve_block(const Context& context, const Samples<Scalar>& batch, Range block,
                     const AtomSet<Scalar>& atoms, const GramLasso<double>& lasso,
                     bool with_gradient);
  double solve_row(const Scalar* x, Index sample, const GramLasso<double>& lasso, Index row,
                   bool warm);

  KsrOptions options_;
  std::vector<SparseCode> kept_;    // one per sample, or none
  std::vector<SparseCode> latest_;  // of the last evaluation on all samples
  Matrix<Scalar> codes_;            // of one block: κ(W, x), then C
  Matrix<Scalar> slopes_;           // then -2C ∘ slopes
  KernelGradient<Scalar> gradient_;
};

}  // namespace krica
