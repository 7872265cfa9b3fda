// SPDX-License-Identifier: BSD-3-Clause
#include "classify/feature_projection.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/column_moments.hpp"
#include "runtime/finite_tensors.hpp"
#include "runtime/lapack.hpp"
#include "runtime/large_matrix.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "projection";
constexpr Index kTileRows = 64;
/// Directions with less variance than this fraction of the largest contain no data.
constexpr double kNoVariance = 1e-6;

/// Copies of the samples that determine the directions, centred.
Matrix<float> centred_samples(const Context& context, ConstMatrixView<float> features,
                              std::vector<float>& mean) {
  constexpr Index kMost = FeatureProjection::kMostSamples;
  Random random = context.random("projection.samples");
  Matrix<float> samples = rows_at<float>(
      features, random_subset(random, features.rows(), std::min(features.rows(), kMost)));
  const ColumnMoments moments = column_moments<float>(context, samples);
  mean.assign(moments.mean().begin(), moments.mean().end());
  parallel_for(context, samples.rows(), work_of(samples.size(), kPerValue), [&](Index i) {
    for (Index j = 0; j < samples.cols(); ++j) samples(i, j) -= mean[static_cast<std::size_t>(j)];
  });
  return samples;
}

/// The smaller one of X Xᵀ and XᵀX.
Matrix<double> gram_of(const Context& context, const Matrix<float>& samples) {
  if (samples.cols() <= samples.rows()) {
    Matrix<double> gram(samples.cols(), samples.cols());
    blas::gram_of_columns<float>(context, samples, gram);
    return gram;
  }
  Matrix<float> gram(samples.rows(), samples.rows());
  blas::gemm<float>(context, blas::Op::kPlain, blas::Op::kTransposed, 1.0F, samples, samples, 0.0F,
                    gram);
  return Matrix<double>::copy_of(gram.view().cast<double>());
}

/// The eigenvectors of the `kept` largest values, largest first, each times factor(value).
template <class Factor>
Matrix<float> leading_vectors(const SymmetricEigen& eigen, Index kept, Factor factor) {
  const Index side = eigen.vectors.rows();
  Matrix<float> vectors(kept, side);
  for (Index k = 0; k < kept; ++k) {
    const Index from = side - 1 - k;
    const double scale = factor(eigen.values[static_cast<std::size_t>(from)]);
    for (Index i = 0; i < side; ++i)
      vectors(k, i) = static_cast<float>(scale * eigen.vectors(from, i));
  }
  return vectors;
}

}  // namespace

FeatureProjection FeatureProjection::fit(const Context& context, ConstMatrixView<float> features,
                                         Index components) {
  require(components >= 1, kName, "components must be >= 1, got {}", components);
  require(features.rows() >= 2, kName, "at least 2 samples are needed, got {}", features.rows());
  require_not_empty(features, kName, "features");
  require_finite(features, kName, "features");
  FeatureProjection projection;
  const Matrix<float> samples = centred_samples(context, features, projection.mean_);
  const SymmetricEigen eigen = symmetric_eigen(gram_of(context, samples));
  const double largest = eigen.values.back();
  require(largest > 0, kName, "all {} samples are equal", samples.rows());
  const Index most = std::min({components, samples.rows() - 1, samples.cols()});
  const auto side = static_cast<Index>(eigen.values.size());
  Index kept = 0;
  while (kept < most &&
         eigen.values[static_cast<std::size_t>(side - 1 - kept)] > kNoVariance * largest)
    ++kept;
  if (samples.cols() <= samples.rows()) {
    projection.directions_ = leading_vectors(eigen, kept, [](double) { return 1.0; });
  } else {
    const Matrix<float> combinations =
        leading_vectors(eigen, kept, [](double value) { return 1 / std::sqrt(value); });
    projection.directions_ = Matrix<float>(kept, samples.cols());
    blas::gemm<float>(context, blas::Op::kPlain, blas::Op::kPlain, 1.0F, combinations, samples,
                      0.0F, projection.directions_);
  }
  projection.set_offset();
  return projection;
}

void FeatureProjection::set_offset() {
  offset_.clear();
  for (Index k = 0; k < outputs(); ++k)
    offset_.push_back(static_cast<float>(ordered_dot(directions_.row(k), mean_.data(), inputs())));
}

void FeatureProjection::apply(const Context& context, ConstMatrixView<float> features,
                              MatrixView<float> projected) const {
  require(features.cols() == inputs(), kName, "got {} features, expected {}", features.cols(),
          inputs());
  const Partition tiles(features.rows(), kTileRows);
  parallel_for(context, tiles.count(), work_of(features.size(), outputs()), [&](Index t) {
    // Tiles of a fixed size, the rest zeros: a sample has the same bits in any company.
    const Range tile = tiles[t];
    Matrix<float> padded(kTileRows, inputs());
    padded.view().topRows(tile.size()) = features.rows_between(tile.begin, tile.end);
    Matrix<float> products(kTileRows, outputs());
    blas::gemm<float>(blas::Op::kPlain, blas::Op::kTransposed, 1.0F, padded, directions_, 0.0F,
                      products);
    for (Index i = 0; i < tile.size(); ++i) {
      float* row = products.row(i);
      for (Index k = 0; k < outputs(); ++k) row[k] -= offset_[static_cast<std::size_t>(k)];
      const double length = std::sqrt(ordered_dot(row, row, outputs()));
      const auto scale = static_cast<float>(length > 0 ? 1 / length : 0);
      for (Index k = 0; k < outputs(); ++k) projected(tile.begin + i, k) = scale * row[k];
    }
  });
}

void FeatureProjection::save(Archive& archive) const {
  archive.put_vector<float>("projection.mean", mean_);
  archive.put("projection.directions", directions_);
}

FeatureProjection FeatureProjection::load(const Archive& archive) {
  FeatureProjection projection;
  projection.mean_ = finite_vector<float>(archive, "projection.mean");
  projection.directions_ = finite_matrix<float>(archive, "projection.directions");
  if (std::ssize(projection.mean_) != projection.inputs() || projection.outputs() < 1)
    throw DataError("[projection] the saved mean and directions do not fit together");
  projection.set_offset();
  return projection;
}

}  // namespace krica
