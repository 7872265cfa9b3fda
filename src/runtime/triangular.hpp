// SPDX-License-Identifier: BSD-3-Clause
//
// Upper triangular matrices on the context's threads, divided into fixed tiles. Only the upper
// triangle of a square matrix is accessed; the caller may store something else below it. Ranks that
// share rows have the same matrices here, and divide the work.
#pragma once

#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"
#include "runtime/blas.hpp"

namespace krica {

/// A = UᵀU from the upper triangle of A, which U replaces. False if A is not positive definite; its
/// upper triangle is then destroyed.
template <class Scalar>
bool cholesky_upper(const Context& context, MatrixView<Scalar> A);

/// U -> U⁻¹, in place.
void invert_upper(const Context& context, MatrixView<float> U);

/// In place on the rows of x: x op(U). Ranks divide it from kDividedProduct on (the values of U
/// times the rows of x): that takes one thread half a millisecond, against the latency of a message
/// to all.
constexpr Index kDividedProduct = 20'000'000;
void multiply_upper(const Context& context, blas::Op op, ConstMatrixView<float> U,
                    MatrixView<float> x);

/// In place on the rows of x: x U⁻ᵀ. Single-threaded.
void solve_upper_transposed(ConstMatrixView<float> U, MatrixView<float> x);

}  // namespace krica
