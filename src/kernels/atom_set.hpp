// SPDX-License-Identifier: BSD-3-Clause
//
// AtomSet: the atoms of a basis with what their kernel needs, and the two operations of which every
// kernel objective is made.
//
// Every kernel's derivative is a slope times a direction:
//   dot-product kernels (linear, polynomial)     ∂κ/∂w = slope · x
//   distance kernels (Gaussian, inverse ones)    ∂κ/∂w = slope · (w - x)
//   histogram intersection                       ∂κ/∂w_j = scale exp(scale w_j) [w_j < x_j], slope
//   1
// so with M = A ∘ slopes (A the weights ∂f/∂κ), the sum over samples is a matrix product:
//   Σ_i A_ip ∂κ(w_p, x_i)/∂w_p = (MᵀX)_p   or   (Σ_i M_ip) w_p - (MᵀX)_p.
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
  /// Keeps the views; W must outlive this. `gammas`: one width an atom instead of kernel.gamma
  /// (Gaussian only; κ(w_u, x) then has the atom's own γ_u). Empty: kernel.gamma for all.
  AtomSet(const Kernel& kernel, ConstMatrixView<Scalar> W, std::span<const Scalar> gammas = {});

  [[nodiscard]] Index count() const { return W_.rows(); }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }

  /// values(i, u) = κ(w_u, x_i), and the slopes where wanted (slopes may be null). One tile, one
  /// thread.
  void evaluate(ConstMatrixView<Scalar> X, MatrixView<Scalar> values,
                MatrixView<Scalar>* slopes) const;

  /// The same for the atoms' rows against all atoms: G(u, v) = κ(w_u, w_v), exactly symmetric. The
  /// slopes' diagonal is 0 for distance kernels, where w - w vanishes. Not for a γ per atom, with
  /// which κ is not symmetric.
  void evaluate_self(const Context& context, MatrixView<Scalar> values,
                     MatrixView<Scalar>* slopes) const;

  /// For the atoms in `atoms`: sums(p, :) += Σ_i M(i, p) · (x_i, or the intersection's indicator
  /// term). M is samples × all atoms.
  void accumulate_products(Range atoms, ConstMatrixView<Scalar> M, ConstMatrixView<Scalar> X,
                           MatrixView<Scalar> sums) const;
  /// And totals[p] += Σ_i M(i, p), where the gradient needs it.
  void accumulate(Range atoms, ConstMatrixView<Scalar> M, ConstMatrixView<Scalar> X,
                  MatrixView<Scalar> sums, std::span<double> totals) const;

  /// Turns accumulated sums and totals into the gradient of one atom: totals·w - sums, or sums.
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
  std::vector<Scalar> gammas_;         // one an atom; Gaussian
  Matrix<Scalar> exp_W_transposed_;    // n×K, exp(scale·Wᵀ); histogram intersection
};

}  // namespace krica
