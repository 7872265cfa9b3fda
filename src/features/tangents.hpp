// SPDX-License-Identifier: BSD-3-Clause
//
// Local tangents: for every atom the d directions in which the training patches near it vary most.
//
//   S_u = Σ_i γ_u(x_i)² (x_i - w_u)(x_i - w_u)ᵀ        n×n, over the patches with w_u in their code
//   U_u = the eigenvectors of the d largest eigenvalues of S_u, d×n
//   σ²  = Σ_u Σ_{j≤d} λ_j(S_u) / (d Σ_i Σ_u γ_u(x_i)²)
//
// with the weights γ of features/local_coding.hpp. U_u keeps as much as d directions can of the
// vectors γ_u(x) (x - w_u), which the code of Yu and Zhang (ICML 2010) projects on them: their
// local PCA, weighted by the code itself. With σ the weights σ γ_u are as large as the mean
// coordinate γ_u U_u (x - w_u), in the root mean square.
//
// One n×n matrix per thread is held at a time.
#pragma once

#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

struct LocalTangents {
  Matrix<float> directions;  ///< K d × n, atom by atom, by decreasing variance; 0 without any
  double scale = 1;          ///< σ; 1 if the patches do not vary around the atoms
};

/// Throws InvalidArgument for more neighbours than atoms, and for more directions than columns.
/// Throws Cancelled.
LocalTangents learn_tangents(const Context& context, ConstMatrixView<float> patches,
                             ConstMatrixView<float> atoms, Index neighbours, Index directions);

/// Bytes that it takes besides its arguments and its result.
double tangents_memory(double patches, double atoms, double values, double neighbours, int threads);

}  // namespace krica
