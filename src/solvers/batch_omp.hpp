// SPDX-License-Identifier: BSD-3-Clause
//
// Orthogonal matching pursuit of many samples over one dictionary D (K×n, rows of length 1): a
// sample's code s is found greedily,
//
//   u ← argmax_u |d_u · r|,  I ← I ∪ {u},  s_I ← argmin ‖x - D_Iᵀ s_I‖²,  r ← x - D_Iᵀ s_I,
//
// until it has `nonzeros` atoms, ‖r‖² is at most `residual`, or no atom helps. In batch form no
// residual is ever computed. With e_1, e_2, ... the chosen atoms made orthonormal one after the
// other, D_I = L E is the Cholesky factorisation G_II = LLᵀ, and
//
//   D r ← D r - (e_k·x) D e_k,   D e_k = (G_u - Σ_{t<k} L_kt D e_t) / L_kk,   L_kt = (D e_t)_u,
//
// so a step needs one row of the Gram matrix G = DDᵀ and K k multiply-adds on vectors that stay in
// the cache; the code is the solution of Lᵀ s = (e_k·x)_k. The products Dx of all samples are
// matrix products. R. Rubinstein, M. Zibulevsky, M. Elad, "Efficient Implementation of the K-SVD
// Algorithm using Batch Orthogonal Matching Pursuit", Technion CS-2008-08, who update D r = Dx -
// G_I s_I from k rows of G instead. Equals scikit-learn's orthogonal_mp_gram.
#pragma once

#include <memory>
#include <vector>

#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"
#include "solvers/sparse_codes.hpp"

namespace krica {

struct BatchOmpOptions {
  Index nonzeros = 1;   ///< atoms in a code, >= 1; more than K count as K
  double residual = 0;  ///< ends a code once ‖r‖² is at most this, >= 0

  void validate() const;
};

template <class Scalar>
class BatchOmp {
 public:
  /// Copies the atoms, scaled to length 1; codes refer to the atoms as given. Atoms of length 0 are
  /// never chosen. Throws InvalidArgument for invalid options, no atoms, NaN or Inf.
  BatchOmp(const Context& context, ConstMatrixView<Scalar> atoms, const BatchOmpOptions& options);

  [[nodiscard]] Index atoms() const { return unit_atoms_.rows(); }
  [[nodiscard]] Index inputs() const { return unit_atoms_.cols(); }
  /// The most atoms in a code.
  [[nodiscard]] Index capacity() const { return options_.nonzeros; }
  /// Of the unit-norm atoms.
  [[nodiscard]] ConstMatrixView<Scalar> gram() const { return gram_; }

  /// The codes of one tile of samples, single-threaded: those of samples.row(i) become number
  /// first + i. Writes ‖r‖² of each to `residuals`, unless it is null.
  void encode(ConstMatrixView<Scalar> samples, Index first, SparseCodes<Scalar>& codes,
              double* residuals) const;

  /// The codes of all samples, on the context's threads, and Σ‖r‖². `residuals`: one per sample,
  /// or null. The same bits for any number of threads.
  double encode(const Context& context, ConstMatrixView<Scalar> samples, SparseCodes<Scalar>& codes,
                double* residuals = nullptr) const;

 private:
  class Pursuit;

  BatchOmpOptions options_;
  Matrix<Scalar> unit_atoms_;
  std::vector<Scalar> inverse_lengths_;  // 0 for atoms of length 0
  Matrix<Scalar> gram_;
};

}  // namespace krica
