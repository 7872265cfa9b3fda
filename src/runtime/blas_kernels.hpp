// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace krica::blas {

/// OpenBLAS before 0.3.25 takes an Intel processor that it does not know for a Prescott (SSE3) and
/// runs at a fraction of the processor's rate (its pull request 4268). Where it did so here, the
/// embedded copy is given the kernels for AVX-512 or AVX2. OPENBLAS_CORETYPE still decides where it
/// is set. Must be called before the first product.
void choose_kernels();

}  // namespace krica::blas
