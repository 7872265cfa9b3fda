// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace krica::blas {

/// OpenBLAS before 0.3.25 treats an unknown Intel processor as a Prescott (SSE3) and runs at a
/// fraction of its speed (its pull request 4268). If so, this switches the embedded copy to the
/// kernels for AVX-512 or AVX2. OPENBLAS_CORETYPE takes precedence if it is set. Must be called
/// before the first product.
void choose_kernels();

}  // namespace krica::blas
