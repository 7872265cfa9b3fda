// SPDX-License-Identifier: BSD-3-Clause
//
// Row-major matrix products, single-threaded: parallel loops call them on tiles. The library embeds
// its own OpenBLAS (docs/decisions/0002-blas.md), so it does not affect the user's BLAS settings.
#pragma once

#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica::blas {

enum class Op { kPlain, kTransposed };

/// Restricts the embedded BLAS and LAPACK to one thread per call, with kernels for this processor.
/// Every wrapper around them calls it first. Throws OutOfMemory if there is no room for their
/// buffers.
void set_up();

/// C = alpha * op(A) * op(B) + beta * C. Shapes must fit; C must not overlap A or B.
template <class Scalar>
void gemm(Op op_a, Op op_b, Scalar alpha, ConstMatrixView<Scalar> a, ConstMatrixView<Scalar> b,
          Scalar beta, MatrixView<Scalar> c);

/// The same on the context's threads, divided into fixed tiles of rows.
template <class Scalar>
void gemm(const Context& context, Op op_a, Op op_b, Scalar alpha, ConstMatrixView<Scalar> a,
          ConstMatrixView<Scalar> b, Scalar beta, MatrixView<Scalar> c);

/// The lower triangle of C = alpha * AᵀA + beta * C.
template <class Scalar>
void syrk_lower(Scalar alpha, ConstMatrixView<Scalar> a, Scalar beta, MatrixView<Scalar> c);

/// AAᵀ on the context's threads. Symmetric.
template <class Scalar>
void gram_of_rows(const Context& context, ConstMatrixView<Scalar> a, MatrixView<Scalar> gram);

/// AᵀA accumulated over blocks of rows: products in Scalar, sums over the blocks in double.
/// Symmetric.
template <class Scalar>
void gram_of_columns(const Context& context, ConstMatrixView<Scalar> a, MatrixView<double> gram);

/// Copies the lower triangle to the upper one.
template <class Scalar>
void mirror_lower(const Context& context, MatrixView<Scalar> matrix);

}  // namespace krica::blas
