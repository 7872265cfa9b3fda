// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/lapack.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "krica/runtime/error.hpp"
#include "runtime/blas.hpp"

// NOLINTBEGIN(readability-identifier-naming): LAPACK's names
extern "C" void dsyevd_(const char* jobz, const char* uplo, const blasint* n, double* a,
                        const blasint* lda, double* w, double* work, const blasint* lwork,
                        blasint* iwork, const blasint* liwork, blasint* info);
// NOLINTEND(readability-identifier-naming)

namespace krica {
namespace {

void fix_sign(double* vector, Index n) {
  double largest = 0;
  for (Index j = 0; j < n; ++j) {
    if (std::abs(vector[j]) > std::abs(largest)) largest = vector[j];
  }
  if (largest < 0) {
    for (Index j = 0; j < n; ++j) vector[j] = -vector[j];
  }
}

}  // namespace

SymmetricEigen symmetric_eigen(ConstMatrixView<double> A) {
  blas::set_up();
  SymmetricEigen eigen{std::vector<double>(static_cast<std::size_t>(A.rows())),
                       Matrix<double>::copy_of(A)};
  const auto n = static_cast<blasint>(A.rows());
  double work_size = 0;
  blasint iwork_size = 0;
  const blasint query = -1;
  blasint info = 0;
  dsyevd_("V", "L", &n, eigen.vectors.data(), &n, eigen.values.data(), &work_size, &query,
          &iwork_size, &query, &info);
  const auto lwork = static_cast<blasint>(work_size);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  std::vector<blasint> iwork(static_cast<std::size_t>(iwork_size));
  dsyevd_("V", "L", &n, eigen.vectors.data(), &n, eigen.values.data(), work.data(), &lwork,
          iwork.data(), &iwork_size, &info);
  // Infinite numbers make eigenvalues NaN without an error.
  const bool finite = std::all_of(eigen.values.begin(), eigen.values.end(),
                                  [](double value) { return std::isfinite(value); });
  if (info != 0 || !finite) {
    throw DataError(fmt::format(
        "[eigen] the eigenvalues of a {} x {} matrix did not converge: its numbers are too large "
        "or too different in magnitude; scale the data, e.g. to values around 1",
        n, n));
  }
  // LAPACK's columns are our rows.
  for (Index i = 0; i < A.rows(); ++i) fix_sign(eigen.vectors.row(i), A.rows());
  return eigen;
}

}  // namespace krica
