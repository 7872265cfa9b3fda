// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

/// Mean and squared deviations of each column, over rows added in parts: Chan, Golub and LeVeque,
/// "Updating formulae and a pairwise algorithm for computing sample variances", 1979.
class ColumnMoments {
 public:
  ColumnMoments() = default;  ///< the first rows added determine the number of columns
  explicit ColumnMoments(Index columns);

  /// Single-threaded.
  template <class Scalar>
  void add(ConstMatrixView<Scalar> rows);
  ColumnMoments& operator+=(const ColumnMoments& more);
  void set_zero();
  template <class Visit>
  void for_each_buffer(Visit visit) {
    visit(&count_, sizeof(count_));
    visit(mean_.data(), sizeof(double) * mean_.size());
    visit(squares_.data(), sizeof(double) * squares_.size());
  }

  [[nodiscard]] double count() const { return count_; }
  [[nodiscard]] const std::vector<double>& mean() const { return mean_; }
  /// Σ (x - mean)², one per column.
  [[nodiscard]] const std::vector<double>& squares() const { return squares_; }

 private:
  double count_ = 0;
  std::vector<double> mean_;
  std::vector<double> squares_;
};

/// Over all rows, in parallel; the bits do not depend on the number of threads.
template <class Scalar>
ColumnMoments column_moments(const Context& context, ConstMatrixView<Scalar> rows);

}  // namespace krica
