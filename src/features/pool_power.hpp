// SPDX-License-Identifier: BSD-3-Clause
//
// The power p of a pooled code, which compresses large counts (p = 1/2: the square root):
//
//   φ(z) = (z + δ)^p for z >= 0, mirrored in the point (0, δ^p) for z < 0, δ = 1e-6
//   φ'(z) = p (|z| + δ)^(p-1)
//
// The mirrored half is for kernels with negative values, such as the linear one. p = 1 leaves the
// values unchanged.
#pragma once

#include "krica/runtime/matrix.hpp"

namespace krica {

/// values[j] = φ(values[j]); derivatives[j] = φ'(values[j]) unless derivatives is null.
template <class Scalar>
void raise_to_power(double power, Scalar* values, Scalar* derivatives, Index count);

}  // namespace krica
