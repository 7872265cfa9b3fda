// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

/// Mean and squared differences from it of each column, over rows that come in parts: Chan, Golub
/// and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979.
class ColumnMoments {
 public:
  ColumnMoments() = default;  ///< takes the columns of what is added first
  explicit ColumnMoments(Index columns);

  /// On one thread.
  template <class Scalar>
  void add(ConstMatrixView<Scalar> rows);
  ColumnMoments& operator+=(const ColumnMoments& more);
  void set_zero();

  [[nodiscard]] double count() const { return count_; }
  [[nodiscard]] const std::vector<double>& mean() const { return mean_; }
  /// Σ (x - mean)², one a column.
  [[nodiscard]] const std::vector<double>& squares() const { return squares_; }

 private:
  double count_ = 0;
  std::vector<double> mean_;
  std::vector<double> squares_;
};

/// Of all rows, in parallel, with bits that do not depend on the number of threads.
template <class Scalar>
ColumnMoments column_moments(const Context& context, ConstMatrixView<Scalar> rows);

}  // namespace krica
