// SPDX-License-Identifier: BSD-3-Clause
//
// K-SVD: a dictionary D of K unit-norm atoms for codes with few non-zeros,
//
//   minimise Σ_i ‖x_i - Dᵀ s_i‖² over D and codes s_i with at most L non-zeros,
//
// by alternating batch orthogonal matching pursuit (solvers/batch_omp.hpp) with an update of one
// atom after another, together with its codes g over the samples I that use it: one step of the
// power iteration for the best rank-1 approximation of E = X_I - (the other atoms' part),
//
//   d ← Eᵀg / ‖Eᵀg‖,   g ← E d,
//
// of which E is never computed: Eᵀg = X_Iᵀg - Σ_{v≠u} d_v (S_v·g), block by block
// (atom_updates.hpp). An iteration costs m K n + K² n / 2 for the pursuit's products, and
// 2 m L n + 2.5 K² n for the atoms. Atoms that hardly any sample uses and atoms that nearly
// coincide with another move to the worst-coded samples. M. Aharon, M. Elad, A. Bruckstein,
// "K-SVD: An Algorithm for Designing Overcomplete Dictionaries for Sparse Representation", IEEE
// TSP 54(11), 2006; the approximate update is that of R. Rubinstein, M. Zibulevsky, M. Elad,
// Technion CS-2008-08. The cost need not fall in every iteration: the pursuit is greedy.
#pragma once

#include "krica/clustering/kmeans.hpp"
#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

struct KsvdOptions {
  Index n_atoms = 0;          ///< K >= 1
  Index nonzeros = 3;         ///< L >= 1
  Index max_iterations = 80;  ///< >= 0
  double tolerance = 1e-6;    ///< stops when the cost changes by less than this fraction; >= 0
  double coherence = 0.99;  ///< atoms of directions with a larger |d_u·d_v| count as one; in (0, 1]
  Index compared = 0;       ///< leading values whose directions these are; 0: all

  void validate() const;
};

template <class Scalar>
struct KsvdResult {
  Matrix<Scalar> atoms;  ///< K×n, unit norm
  double cost = 0;       ///< Σ_i ‖x_i - Dᵀ s_i‖²
  double change = 1;     ///< of the cost in the last iteration, as a fraction of it
  Index iterations = 0;
  bool converged = false;
};

/// From given atoms (K×n, of any length but 0). Throws InvalidArgument for invalid options, empty
/// data, atoms of length 0, NaN, Inf or squares that overflow. The same bits for any number of
/// threads; a run from the atoms that the hook saw continues as if it had not stopped.
template <class Scalar>
KsvdResult<Scalar> ksvd(const Context& context, ConstMatrixView<Scalar> X,
                        ConstMatrixView<Scalar> start, const KsvdOptions& options,
                        const ClusteringHook<Scalar>& hook = {});

}  // namespace krica
