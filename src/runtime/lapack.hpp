// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krica/runtime/matrix.hpp"

namespace krica {

/// A = V diag(values) Vᵀ of a symmetric matrix, values ascending, eigenvectors in the *rows* of
/// `vectors`. Each vector's largest element is positive, so that signs do not depend on the
/// library.
struct SymmetricEigen {
  std::vector<double> values;
  Matrix<double> vectors;
};

/// Throws DataError if LAPACK finds no finite eigenvalues. Single-threaded, so the bits do not
/// depend on the number of threads.
SymmetricEigen symmetric_eigen(ConstMatrixView<double> A);

}  // namespace krica
