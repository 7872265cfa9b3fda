// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/check.hpp"

#include <array>
#include <cmath>
#include <numeric>

#include "runtime/large_matrix.hpp"

namespace krica {
namespace {

/// A row is finite iff 0 * its elements sum to 0; one multiply-add each, no branch. Sixteen
/// parallel sums: a single one would wait for every addition.
template <class Scalar>
bool row_is_finite(const Scalar* row, Index count) {
  constexpr Index kLanes = 16;
  std::array<Scalar, kLanes> sums{};
  Index j = 0;
  for (; j + kLanes <= count; j += kLanes) {
    for (Index lane = 0; lane < kLanes; ++lane)
      sums[static_cast<std::size_t>(lane)] += row[j + lane] * Scalar(0);
  }
  for (; j < count; ++j) sums[0] += row[j] * Scalar(0);
  return std::accumulate(sums.begin(), sums.end(), Scalar(0)) == Scalar(0);
}

constexpr Index kRowsAtATime = 1024;

}  // namespace

template <class Scalar>
void require_finite(ConstMatrixView<Scalar> matrix, std::string_view operation,
                    std::string_view name) {
  Index count = 0;
  Index first_row = 0;
  Index first_col = 0;
  for (Index i = 0; i < matrix.rows(); ++i) {
    if (i % kRowsAtATime == 0) release_pages_when_due();
    const Scalar* row = matrix.data() + i * matrix.outerStride();
    if (row_is_finite(row, matrix.cols())) continue;
    for (Index j = 0; j < matrix.cols(); ++j) {
      if (std::isfinite(row[j])) continue;
      if (count++ == 0) {
        first_row = i;
        first_col = j;
      }
    }
  }
  require(count == 0, operation,
          "{} holds {} NaN or infinite value(s), the first at row {}, column {}", name, count,
          first_row, first_col);
}

template void require_finite(ConstMatrixView<float>, std::string_view, std::string_view);
template void require_finite(ConstMatrixView<double>, std::string_view, std::string_view);

}  // namespace krica
