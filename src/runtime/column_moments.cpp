// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/column_moments.hpp"

#include <algorithm>

#include "runtime/ordered_reduce.hpp"

namespace krica {

ColumnMoments::ColumnMoments(Index columns)
    : mean_(static_cast<std::size_t>(columns)), squares_(mean_.size()) {}

void ColumnMoments::set_zero() {
  count_ = 0;
  std::fill(mean_.begin(), mean_.end(), 0.0);
  std::fill(squares_.begin(), squares_.end(), 0.0);
}

ColumnMoments& ColumnMoments::operator+=(const ColumnMoments& more) {
  if (more.count_ == 0) return *this;
  if (count_ == 0) return *this = more;
  const double total = count_ + more.count_;
  const double share = more.count_ / total;
  for (std::size_t j = 0; j < mean_.size(); ++j) {
    const double apart = more.mean_[j] - mean_[j];
    squares_[j] += more.squares_[j] + apart * apart * count_ * share;
    mean_[j] += apart * share;
  }
  count_ = total;
  return *this;
}

/// Sums differences from the first row, so that a column of equal values has exactly that mean and
/// no variance.
template <class Scalar>
void ColumnMoments::add(ConstMatrixView<Scalar> rows) {
  if (rows.rows() == 0) return;
  ColumnMoments part(rows.cols());
  part.count_ = static_cast<double>(rows.rows());
  const auto add_differences = [&](auto from, auto add) {
    for (Index i = 0; i < rows.rows(); ++i) {
      const Scalar* row = rows.data() + i * rows.outerStride();
      for (std::size_t j = 0; j < part.mean_.size(); ++j)
        add(j, static_cast<double>(row[j]) - static_cast<double>(from[j]));
    }
  };
  add_differences(rows.data(), [&](std::size_t j, double apart) { part.mean_[j] += apart; });
  for (std::size_t j = 0; j < part.mean_.size(); ++j)
    part.mean_[j] = static_cast<double>(rows.data()[j]) + part.mean_[j] / part.count_;
  add_differences(part.mean_.data(),
                  [&](std::size_t j, double apart) { part.squares_[j] += apart * apart; });
  *this += part;
}

template <class Scalar>
ColumnMoments column_moments(const Context& context, ConstMatrixView<Scalar> rows) {
  constexpr Index kPartRows = 64;  // read twice, the second time often from the cache
  const Partition parts(rows.rows(), kPartRows);
  return ordered_reduce<ColumnMoments>(
      context, parts.count(), work_of(rows.size(), 2 * kPerValue),
      [&] { return ColumnMoments(rows.cols()); },
      [&](Index part, ColumnMoments& moments) {
        moments.add(rows.rows_between(parts[part].begin, parts[part].end));
      });
}

template void ColumnMoments::add(ConstMatrixView<float>);
template void ColumnMoments::add(ConstMatrixView<double>);
template ColumnMoments column_moments(const Context&, ConstMatrixView<float>);
template ColumnMoments column_moments(const Context&, ConstMatrixView<double>);

}  // namespace krica
