// SPDX-License-Identifier: BSD-3-Clause
#include "joint/batch_moments.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "max-margin";
constexpr Index kTileRows = 16;

BatchMoments moments_of(const ColumnMoments& sums) {
  BatchMoments moments{sums.mean(), sums.squares()};
  for (double& variance : moments.variance) variance /= sums.count();
  return moments;
}

/// Sums over the rows of a batch, for the backward pass.
struct BackwardSums {
  std::vector<double> Q;
  std::vector<double> products;  // Σ Q Z

  explicit BackwardSums(Index columns) : Q(static_cast<std::size_t>(columns)), products(Q) {}
  static auto members(auto& sums) { return std::tie(sums.Q, sums.products); }
};

template <class Scalar>
BackwardSums backward_sums(const Context& context, ConstMatrixView<Scalar> Z,
                           ConstMatrixView<Scalar> Q) {
  const Partition parts(Z.rows(), kTileRows);
  return ordered_reduce<BackwardSums>(
      context, parts.count(), work_of(Z.size(), 2 * kPerValue),
      [&] { return BackwardSums(Z.cols()); },
      [&](Index part, BackwardSums& sums) {
        for (Index i = parts[part].begin; i < parts[part].end; ++i) {
          for (Index j = 0; j < Z.cols(); ++j) {
            const auto q = static_cast<double>(Q(i, j));
            sums.Q[static_cast<std::size_t>(j)] += q;
            sums.products[static_cast<std::size_t>(j)] += q * static_cast<double>(Z(i, j));
          }
        }
      });
}

std::vector<double> inverse_deviations(const BatchMoments& moments) {
  std::vector<double> inverse;
  for (Index j = 0; j < std::ssize(moments.mean); ++j)
    inverse.push_back(moments.inverse_deviation(j));
  return inverse;
}

}  // namespace

double BatchMoments::inverse_deviation(Index j) const {
  return 1 / std::sqrt(variance[static_cast<std::size_t>(j)] + kVarianceFloor);
}

template <class Scalar>
void MomentSums::add(const Context& context, ConstMatrixView<Scalar> rows) {
  sums_.put(added_++, column_moments(context, rows));
}

BatchMoments MomentSums::moments() { return moments_of(sums_.take()); }

template <class Scalar>
BatchMoments standardise_batch(const Context& context, MatrixView<Scalar> Z) {
  require(Z.rows() >= 2, kName, "a batch needs at least 2 images, got {}", Z.rows());
  BatchMoments moments = moments_of(column_moments<Scalar>(context, Z));
  standardise_with(context, moments, Z);
  return moments;
}

template <class Scalar>
void standardise_batch_backward(const Context& context, const BatchMoments& moments,
                                ConstMatrixView<Scalar> Z, MatrixView<Scalar> Q) {
  const auto count = static_cast<double>(Z.rows());
  const BackwardSums sums = backward_sums<Scalar>(context, Z, Q);
  const std::vector<double> inverse = inverse_deviations(moments);
  const Partition tiles(Z.rows(), kTileRows);
  parallel_for(context, tiles.count(), work_of(Z.size(), kPerValue), [&](Index t) {
    for (Index i = tiles[t].begin; i < tiles[t].end; ++i) {
      for (Index j = 0; j < Z.cols(); ++j) {
        const auto at = static_cast<std::size_t>(j);
        const double centred = static_cast<double>(Q(i, j)) - sums.Q[at] / count;
        const double along = static_cast<double>(Z(i, j)) * sums.products[at] / count;
        Q(i, j) = static_cast<Scalar>((centred - along) * inverse[at]);
      }
    }
  });
}

template <class Scalar>
void standardise_with(const Context& context, const BatchMoments& moments, MatrixView<Scalar> Z) {
  require(std::ssize(moments.mean) == Z.cols(), kName, "moments of {} features for {}",
          moments.mean.size(), Z.cols());
  const std::vector<double> inverse = inverse_deviations(moments);
  const Partition tiles(Z.rows(), kTileRows);
  parallel_for(context, tiles.count(), work_of(Z.size(), kPerValue), [&](Index t) {
    for (Index i = tiles[t].begin; i < tiles[t].end; ++i) {
      for (Index j = 0; j < Z.cols(); ++j) {
        const auto at = static_cast<std::size_t>(j);
        Z(i, j) =
            static_cast<Scalar>((static_cast<double>(Z(i, j)) - moments.mean[at]) * inverse[at]);
      }
    }
  });
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
