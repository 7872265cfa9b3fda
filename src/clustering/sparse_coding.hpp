// SPDX-License-Identifier: BSD-3-Clause
//
// Sparse coding: a dictionary D of K atoms for codes with a small ℓ1 norm,
//
//   minimise f(D) = 1/m Σ_i min_s ½‖x_i - Dᵀs‖² + λ‖s‖₁ over D with ‖d_u‖ <= 1,
//
// by alternating the codes s_i (solvers/gram_lasso.hpp, to 1e-5 ‖x‖² of the minimum) with the
// atoms: least squares with norm bounds, of which only A = SᵀS (K×K) and B = SᵀX (K×n) are needed,
// by block coordinate descent,
//
//   d_u ← d_u + (b_u - Σ_v A_uv d_v) / A_uu,   d_u ← d_u / max(1, ‖d_u‖).
//
// Neither step increases f; an iteration that would, by the tolerance of the codes, is the last and
// is not taken. Atoms that no sample uses move to the worst-coded samples. H. Lee, A. Battle, R.
// Raina, A. Ng, "Efficient Sparse Coding Algorithms", NIPS 2006, who solve for the atoms by the
// Lagrange dual; the descent is that of J. Mairal, F. Bach, J. Ponce, G. Sapiro, "Online Learning
// for Matrix Factorization and Sparse Coding", JMLR 11, 2010: it needs no K×K inverse, and atoms of
// hardly used codes do no harm. λ is scikit-learn's alpha (DictionaryLearning, SparseCoder).
#pragma once

#include "krica/clustering/kmeans.hpp"
#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

struct SparseCodingOptions {
  Index n_atoms = 0;           ///< K >= 1
  double sparsity = 0.15;      ///< λ > 0
  Index max_iterations = 100;  ///< >= 0
  double tolerance = 1e-4;     ///< stops when the relative decrease of f is below this; >= 0

  void validate() const;
};

template <class Scalar>
struct SparseCodingResult {
  Matrix<Scalar> atoms;  ///< K×n, of length <= 1
  double cost = 0;       ///< f
  double change = 1;     ///< of f in the last iteration, as a fraction of it
  Index iterations = 0;
  bool converged = false;
  bool coded = false;  ///< whether any code has an atom; none has if λ is too large for the samples
};

/// From given atoms (K×n, of any length but 0; they are scaled to length 1 if longer). Throws
/// InvalidArgument for invalid options, empty data, atoms of length 0, NaN, Inf or squares that
/// overflow. The same bits for any number of threads.
template <class Scalar>
SparseCodingResult<Scalar> sparse_coding(const Context& context, ConstMatrixView<Scalar> X,
                                         ConstMatrixView<Scalar> start,
                                         const SparseCodingOptions& options,
                                         const ClusteringHook<Scalar>& hook = {});

}  // namespace krica
