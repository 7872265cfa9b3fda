// SPDX-License-Identifier: BSD-3-Clause
//
// The second half of an iteration of K-SVD (ksvd.hpp): one atom d_u after another, with its codes g
// over the samples I that use it,
//
//   e = X_Iᵀg - Σ_{v≠u} (S_v·g) d_v,   d_u ← e / ‖e‖,   g_i ← x_i·d_u - Σ_{v≠u} s_iv d_v·d_u.
//
// Done literally, each atom reads all others twice. But atoms can be taken in blocks B: the part of
// those outside does not change while a block is updated, so that it is a matrix product,
//
//   R_u = X_Iᵀg - Σ_{v∉B} (S_v·g) d_v   (|B|×n),   M = R Dᵀ   (|B|×K),
//
// and e = R_u - Σ_{w∈B, w≠u} (S_w·g) d_w reads the few atoms of the block. The products of d_u with
// atoms outside follow from known ones,
//
//   e·d_v = M_uv - Σ_{w∈B, w≠u} (S_w·g) G_wv,
//
// where G = DDᵀ (K×K) comes from the pursuit and is kept up to date. The result differs from that
// of the literal loop by rounding. A pass costs 2 K² n multiply-adds in matrix products, and
// 2 m L n + 2 K |B| n others.
#pragma once

#include "clustering/atom_users.hpp"
#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

/// Scales a row to unit length; false, and no change, if it is zero. A row that already has length
/// 1 up to rounding keeps its bits, so that a run resumed from its own atoms continues as if it had
/// not stopped.
template <class Scalar>
bool set_unit(const Scalar* row, Index values, Scalar* unit);

/// Updates all atoms (K×n, unit norm) and the values of `codes`, whose users are listed. `gram`:
/// DDᵀ, of which the updated one is left. Atoms that nothing uses stay. The same bits for any
/// number of threads; throws Cancelled.
template <class Scalar>
void update_atoms(const Context& context, ConstMatrixView<Scalar> X, const AtomUsers& users,
                  MatrixView<Scalar> atoms, MatrixView<Scalar> gram, SparseCodes<Scalar>& codes);

}  // namespace krica
