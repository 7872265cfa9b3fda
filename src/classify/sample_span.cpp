// SPDX-License-Identifier: BSD-3-Clause
#include "classify/sample_span.hpp"

#include <vector>

#include "krica/runtime/error.hpp"
#include "runtime/blas.hpp"
#include "runtime/columns.hpp"
#include "runtime/ordered_reduce.hpp"
#include "runtime/triangular.hpp"

namespace krica {
namespace {

constexpr Index kTileSamples = 192;
constexpr Index kDepth = 256;  // products over this many features are float32, their sums double
constexpr Index kTileFeatures = 512;

/// Added to the diagonal, as a fraction of its mean: above the rounding error of the products, far
/// below 1/(2C), to which it adds.
constexpr double kRidge = 1e-6;
constexpr int kTries = 8;

/// One tile of Z Zᵀ.
void gram_tile(ConstMatrixView<float> rows, ConstMatrixView<float> cols, MatrixView<double> tile) {
  const Partition depths(rows.cols(), kDepth);
  Matrix<float> product(rows.rows(), cols.rows());
  for (Index k = 0; k < depths.count(); ++k) {
    blas::gemm<float>(blas::Op::kPlain, blas::Op::kTransposed, 1.0F, columns_of(rows, depths[k]),
                      columns_of(cols, depths[k]), 0.0F, product);
    for (Index i = 0; i < tile.rows(); ++i) {
      double* sums = tile.data() + i * tile.outerStride();
      for (Index j = 0; j < tile.cols(); ++j) sums[j] += static_cast<double>(product(i, j));
    }
  }
}

}  // namespace

SampleSpan::SampleSpan(const Context& context, ConstMatrixView<float> features)
    : features_(features), L_(features.rows(), features.rows()) {
  const Matrix<double> U = factor(context);
  const Partition tiles(L_.rows(), kTileSamples);
  parallel_for(context, tiles.count(), work_of(L_.size(), kPerValue), [&](Index t) {
    for (Index i = tiles[t].begin; i < tiles[t].end; ++i) {
      for (Index j = 0; j <= i; ++j) L_(i, j) = static_cast<float>(U(j, i));
    }
  });
}

/// The upper triangle of Z Zᵀ.
Matrix<double> SampleSpan::gram(const Context& context) const {
  Matrix<double> K(features_.rows(), features_.rows());
  const Partition tiles(K.rows(), kTileSamples);
  const Work work = work_of(features_.size(), features_.rows(), 0.5);
  parallel_for(context, tiles.count() * tiles.count(), work, [&](Index pair) {
    const Range rows = tiles[pair / tiles.count()];
    const Range cols = tiles[pair % tiles.count()];
    if (cols.begin < rows.begin) return;  // symmetric
    gram_tile(features_.rows_between(rows.begin, rows.end),
              features_.rows_between(cols.begin, cols.end),
              columns_of(MatrixView<double>(K).rows_between(rows.begin, rows.end), cols));
  });
  return K;
}

/// U with UᵀU = Z Zᵀ + ridge. Linearly dependent samples require the ridge; it is increased if
/// rounding makes that necessary.
Matrix<double> SampleSpan::factor(const Context& context) const {
  Matrix<double> K = gram(context);
  double mean = 0;
  for (Index i = 0; i < K.rows(); ++i) mean += K(i, i) / static_cast<double>(K.rows());
  double ridge = kRidge * (mean > 0 ? mean : 1.0);
  for (int tries = 0; tries < kTries; ++tries, ridge *= 10) {
    if (tries > 0) K = gram(context);
    for (Index i = 0; i < K.rows(); ++i) K(i, i) += ridge;
    if (cholesky_upper<double>(context, K)) return K;
  }
  throw DataError("[svm] the samples' Gram matrix cannot be factored; are the features finite?");
}

Matrix<float> SampleSpan::to_weights(const Context& context, ConstMatrixView<float> V) const {
  Matrix<float> combinations(V.rows(), L_.rows());  // A with W = A Z
  parallel_for(context, V.rows(), work_of(L_.size(), V.rows()),
               [&](Index c) { combine(V, c, combinations); });
  const Index F = features_.cols();
  Matrix<float> W(V.rows(), F + 1);
  const Partition tiles(F, kTileFeatures);
  for_tiles({0, features_.rows()}, rows_at_a_time(features_), [&](Range part) {
    const auto A = columns_of(ConstMatrixView<float>(combinations), part);
    const auto Z = features_.rows_between(part.begin, part.end);
    parallel_for(context, tiles.count(), work_of(Z.size(), V.rows()), [&](Index t) {
      blas::gemm<float>(blas::Op::kPlain, blas::Op::kPlain, 1.0F, A, columns_of(Z, tiles[t]), 1.0F,
                        columns_of(MatrixView<float>(W), tiles[t]));
    });
  });
  for (Index c = 0; c < V.rows(); ++c) W(c, F) = V(c, L_.rows());
  return W;
}

/// a L = v for one class, in double: L may be ill-conditioned.
void SampleSpan::combine(ConstMatrixView<float> V, Index c, MatrixView<float> combination) const {
  std::vector<double> rest(static_cast<std::size_t>(L_.rows()));
  for (std::size_t j = 0; j < rest.size(); ++j)
    rest[j] = static_cast<double>(V(c, static_cast<Index>(j)));
  for (Index i = L_.rows() - 1; i >= 0; --i) {
    const float* row = L_.row(i);
    const double a = rest[static_cast<std::size_t>(i)] / static_cast<double>(row[i]);
    combination(c, i) = static_cast<float>(a);
    for (Index j = 0; j < i; ++j)
      rest[static_cast<std::size_t>(j)] -= a * static_cast<double>(row[j]);
  }
}

}  // namespace krica
