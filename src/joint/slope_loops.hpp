// SPDX-License-Identifier: BSD-3-Clause
//
// The elementwise loops of code_layer.hpp's backward pass, over the K atoms of one patch. They take
// as long as products of few values, so they are vectorised too.
#pragma once

#include "krica/runtime/matrix.hpp"

namespace krica {

/// In: a = w_u·x; out: M = up - down, with up = A⁺ [a > t], down = A⁻ [-a > t] (A holds A⁺, then
/// A⁻). sums += up + down.
template <class Scalar>
void soft_threshold_slopes(const Scalar* A, const Scalar* t, Scalar* a, Scalar* sums, Index K);

/// slopes ← M = A ∘ slopes; totals += M and, unless squares is null, squares += norm M.
template <class Scalar>
void weigh_slopes(const Scalar* A, Scalar norm, Scalar* slopes, Scalar* totals, Scalar* squares,
                  Index K);

}  // namespace krica
