// SPDX-License-Identifier: BSD-3-Clause
#include "krica/joint/batch_moments.hpp"

#include <cmath>

#include "runtime/check.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "joint";
constexpr Index kTileColumns = 256;

/// Calls body(columns) for fixed tiles of columns, in parallel.
template <class Body>
void for_columns(const Context& context, Index columns, Body body) {
  const Partition tiles(columns, kTileColumns);
  parallel_for(context, tiles.count(), [&](Index t) { body(tiles[t]); });
}

struct ColumnSums {
  double mean = 0;
  double squares = 0;  // of differences from the mean
};

template <class Scalar>
ColumnSums column_sums(ConstMatrixView<Scalar> Z, Index j) {
  ColumnSums sums;
  for (Index i = 0; i < Z.rows(); ++i) sums.mean += static_cast<double>(Z(i, j));
  sums.mean /= static_cast<double>(Z.rows());
  for (Index i = 0; i < Z.rows(); ++i) {
    const double difference = static_cast<double>(Z(i, j)) - sums.mean;
    sums.squares += difference * difference;
  }
  return sums;
}

template <class Scalar>
void apply(const BatchMoments& moments, Range columns, MatrixView<Scalar> Z) {
  for (Index j = columns.begin; j < columns.end; ++j) {
    const double mean = moments.mean[static_cast<std::size_t>(j)];
    const double inverse = moments.inverse_deviation(j);
    for (Index i = 0; i < Z.rows(); ++i)
      Z(i, j) = static_cast<Scalar>((static_cast<double>(Z(i, j)) - mean) * inverse);
  }
}

}  // namespace

double BatchMoments::inverse_deviation(Index j) const {
  return 1 / std::sqrt(variance[static_cast<std::size_t>(j)] + kVarianceFloor);
}

/// Mean and squared differences from it, of the rows that there are and those that come: Chan,
/// Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances",
/// 1979.
template <class Scalar>
void MomentSums::add(const Context& context, ConstMatrixView<Scalar> rows) {
  mean_.resize(static_cast<std::size_t>(rows.cols()), 0.0);
  squares_.resize(mean_.size(), 0.0);
  const auto added = static_cast<double>(rows.rows());
  const double total = count_ + added;
  for_columns(context, rows.cols(), [&](Range columns) {
    for (Index j = columns.begin; j < columns.end; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const ColumnSums of_rows = column_sums(rows, j);
      const double apart = of_rows.mean - mean_[at];
      squares_[at] += of_rows.squares + apart * apart * count_ * added / total;
      mean_[at] += apart * added / total;
    }
  });
  count_ = total;
}

BatchMoments MomentSums::moments() const {
  BatchMoments moments{mean_, squares_};
  for (double& variance : moments.variance) variance /= count_;
  return moments;
}

template <class Scalar>
BatchMoments standardise_batch(const Context& context, MatrixView<Scalar> Z) {
  require(Z.rows() >= 2, kName, "a batch needs at least 2 images, got {}", Z.rows());
  const auto count = static_cast<double>(Z.rows());
  const auto features = static_cast<std::size_t>(Z.cols());
  BatchMoments moments{std::vector<double>(features), std::vector<double>(features)};
  for_columns(context, Z.cols(), [&](Range columns) {
    for (Index j = columns.begin; j < columns.end; ++j) {
      const ColumnSums sums = column_sums<Scalar>(Z, j);
      moments.mean[static_cast<std::size_t>(j)] = sums.mean;
      moments.variance[static_cast<std::size_t>(j)] = sums.squares / count;
    }
    apply(moments, columns, Z);
  });
  return moments;
}

template <class Scalar>
void standardise_batch_backward(const Context& context, const BatchMoments& moments,
                                ConstMatrixView<Scalar> Z, MatrixView<Scalar> Q) {
  const auto count = static_cast<double>(Z.rows());
  for_columns(context, Z.cols(), [&](Range columns) {
    for (Index j = columns.begin; j < columns.end; ++j) {
      double sum = 0;
      double product = 0;
      for (Index i = 0; i < Z.rows(); ++i) {
        sum += static_cast<double>(Q(i, j));
        product += static_cast<double>(Q(i, j)) * static_cast<double>(Z(i, j));
      }
      const double inverse = moments.inverse_deviation(j);
      for (Index i = 0; i < Z.rows(); ++i) {
        const double centred = static_cast<double>(Q(i, j)) - sum / count;
        Q(i, j) = static_cast<Scalar>((centred - static_cast<double>(Z(i, j)) * product / count) *
                                      inverse);
      }
    }
  });
}

template <class Scalar>
void standardise_with(const Context& context, const BatchMoments& moments, MatrixView<Scalar> Z) {
  require(static_cast<Index>(moments.mean.size()) == Z.cols(), kName,
          "moments of {} features for {}", moments.mean.size(), Z.cols());
  for_columns(context, Z.cols(), [&](Range columns) { apply(moments, columns, Z); });
}

#define KRICA_INSTANTIATE(Scalar)                                                        \
  template void MomentSums::add(const Context&, ConstMatrixView<Scalar>);                \
  template BatchMoments standardise_batch(const Context&, MatrixView<Scalar>);           \
  template void standardise_batch_backward(const Context&, const BatchMoments&,          \
                                           ConstMatrixView<Scalar>, MatrixView<Scalar>); \
  template void standardise_with(const Context&, const BatchMoments&, MatrixView<Scalar>)
KRICA_INSTANTIATE(float);
KRICA_INSTANTIATE(double);
#undef KRICA_INSTANTIATE

}  // namespace krica
