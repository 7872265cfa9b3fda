// SPDX-License-Identifier: BSD-3-Clause
//
// The power p of a pooled code, which evens out large counts (p = 1/2: the square root):
//
//   φ(z) = (z + δ)^p for z >= 0, mirrored in the point (0, δ^p) for z < 0, δ = 1e-6
//   φ'(z) = p (|z| + δ)^(p-1)
//
// The mirrored half serves kernels with negative values, such as the linear one. p = 1 leaves the
// values as they are.
#pragma once

#include "krica/runtime/matrix.hpp"

namespace krica {

/// values[j] = φ(values[j]); derivatives[j] = φ'(values[j]) where derivatives is not null.
template <class Scalar>
void raise_to_power(double power, Scalar* values, Scalar* derivatives, Index count);

}  // namespace krica
