// SPDX-License-Identifier: BSD-3-Clause
//
// AtomSet: the atoms of a basis, what their kernel needs, and the two operations that every kernel
// objective is built from: evaluating κ, and summing its derivatives over samples.
//
// The derivative of every kernel is a slope times a direction:
//
//   family                                   slope · direction
//   dot-product (linear, polynomial)         ∂κ/∂w   = slope · x
//   distance (Gaussian, inverse distances)   ∂κ/∂w   = slope · (w - x)
//   histogram intersection                   ∂κ/∂w_j = 1 · scale exp(scale w_j) [w_j < x_j]
//
// With the weights A = ∂f/∂κ and M = A ∘ slopes, the sum over samples is therefore a matrix
// product:
//
//   Σ_i A_ip ∂κ(w_p, x_i)/∂w_p = (MᵀX)_p                       dot-product kernels
//                              = (Σ_i M_ip) w_p - (MᵀX)_p      distance kernels
#pragma once

#include <span>
#include <vector>

#include "krica/kernels/kernel.hpp"
#include "runtime/parallel.hpp"

namespace krica {

enum class KernelFamily { kDotProduct, kDistance, kIntersection };
KernelFamily family_of(KernelKind kind);

/// κ(x, x); constant for distance kernels.
template <class Scalar>
double self_kernel(const Kernel& kernel, const Scalar* x, Index n);

template <class Scalar>
class AtomSet {
 public:
  /// Keeps the view: W must outlive this object. `gammas` gives each atom its own width γ_u
  /// (Gaussian only); if it is empty, all atoms have kernel.gamma.
  AtomSet(const Kernel& kernel, ConstMatrixView<Scalar> W, std::span<const Scalar> gammas = {});

  [[nodiscard]] Index count() const { return W_.rows(); }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }

  /// values(i, u) = κ(w_u, x_i), and the slopes unless `slopes` is null. Runs on the calling
  /// thread.
  void evaluate(ConstMatrixView<Scalar> X, MatrixView<Scalar> values,
                MatrixView<Scalar>* slopes) const;

  /// The same between the atoms: G(u, v) = κ(w_u, w_v), exactly symmetric. For distance kernels the
  /// diagonal of the slopes is 0, because w - w vanishes. Not for one γ per atom, which makes κ
  /// asymmetric.
  void evaluate_self(const Context& context, MatrixView<Scalar> values,
                     MatrixView<Scalar>* slopes) const;

  /// For each atom p in `atoms`: sums(p, :) += Σ_i M(i, p) x_i, or for the histogram intersection
  /// Σ_i M(i, p) [w_p < x_i]. M is samples × all atoms.
  void accumulate_products(Range atoms, ConstMatrixView<Scalar> M, ConstMatrixView<Scalar> X,
                           MatrixView<Scalar> sums) const;
  /// Also totals[p] += Σ_i M(i, p) if the gradient needs it.
  void accumulate(Range atoms, ConstMatrixView<Scalar> M, ConstMatrixView<Scalar> X,
                  MatrixView<Scalar> sums, std::span<double> totals) const;

  /// Turns the sums and the total of one atom into its gradient: total·w - sums, or just sums.
  void finish_gradient(Index atom, double total, const Scalar* sums, Scalar* gradient) const;

 private:
  void evaluate_intersection(ConstMatrixView<Scalar> X, MatrixView<Scalar> values,
                             MatrixView<Scalar>* slopes) const;
  void accumulate_intersection(Range atoms, ConstMatrixView<Scalar> M, ConstMatrixView<Scalar> X,
                               MatrixView<Scalar> sums) const;

  Kernel kernel_;
  KernelFamily family_;
  ConstMatrixView<Scalar> W_;
  std::vector<Scalar> squared_norms_;  // of the atoms; distance kernels
  std::vector<Scalar> gammas_;         // one per atom; Gaussian
  Matrix<Scalar> exp_W_transposed_;    // n×K, exp(scale·Wᵀ); histogram intersection
};

}  // namespace krica
