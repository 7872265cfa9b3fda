// SPDX-License-Identifier: BSD-3-Clause
//
// What greedy and active-set solvers do with a few rows of a large matrix, with the processor's
// widest vectors. Each result depends only on its column, never on its position in memory.
#pragma once

#include <cstdint>
#include <span>

#include "krica/runtime/matrix.hpp"

namespace krica {

/// to[j] = from[j] - Σ_t weights[t] · rows(chosen[t], j) for every column j, in the order of t.
/// `to` may be `from`.
template <class Scalar>
void subtract_rows(const Scalar* from, ConstMatrixView<Scalar> rows,
                   std::span<const std::int32_t> chosen, const Scalar* weights, Scalar* to);

/// The position of the largest |values[j]|; the first one on ties. NaN counts as 0. count > 0.
template <class Scalar>
Index largest_magnitude(const Scalar* values, Index count);

}  // namespace krica
