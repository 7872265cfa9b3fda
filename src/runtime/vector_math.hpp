// SPDX-License-Identifier: BSD-3-Clause
//
// Transcendental functions over arrays with the processor's widest vectors (Highway, selected at
// run time). Each result depends only on its argument, never on its position in the array.
#pragma once

#include "krica/runtime/matrix.hpp"

namespace krica {

/// values[i] = exp(values[i]); error at most 1 ULP.
template <class Scalar>
void exp_in_place(Scalar* values, Index count);

/// values[i] = log(1 + values[i]) for values[i] > -1; error at most 2 ULP.
template <class Scalar>
void log1p_in_place(Scalar* values, Index count);

/// roots[i] = sqrt(epsilon + s[i]²) and, unless derivative is null, derivative[i] += weight · s[i]
/// / roots[i].
template <class Scalar>
void smooth_l1(const Scalar* s, Scalar epsilon, Scalar weight, Scalar* roots, Scalar* derivative,
               Index count);

}  // namespace krica
