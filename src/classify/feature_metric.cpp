// SPDX-License-Identifier: BSD-3-Clause
#include "classify/feature_metric.hpp"

#include <cmath>

#include "device/hinge_sums.hpp"
#include "device/use_device.hpp"
#include "krica/runtime/error.hpp"
#include "runtime/blas.hpp"
#include "runtime/columns.hpp"
#include "runtime/ordered_reduce.hpp"
#include "runtime/triangular.hpp"

namespace krica {
namespace {

constexpr Index kBlockFeatures = 8192;  // 256 MiB per block
constexpr Index kGramRows = 32768;
constexpr Index kTileColumns = 256;

/// The smallest step between rows that stays below kGramRows.
Index row_step(ConstMatrixView<float> features) {
  return (features.rows() + kGramRows - 1) / kGramRows;
}
ConstMatrixView<float> spread_rows(ConstMatrixView<float> features) {
  const Index step = row_step(features);
  return {features.data(), features.rows() / step, features.cols(), features.outerStride() * step};
}

void scale_last_column(MatrixView<float> matrix, float factor) {
  for (Index c = 0; c < matrix.rows(); ++c) matrix(c, matrix.cols() - 1) *= factor;
}

}  // namespace

FeatureMetric::FeatureMetric(const Context& context, ConstMatrixView<float> features,
                             device::HingeSums* on_device) {
  const ConstMatrixView<float> rows = spread_rows(features);
  const Partition blocks(features.cols(), kBlockFeatures);
  for (Index b = 0; b < blocks.count(); ++b) {
    Block block{blocks[b], Matrix<float>(blocks[b].size(), blocks[b].size()), {}};
    Matrix<float>& gram = block.gram_and_inverse;
    if (on_device != nullptr) {
      device::use_device(context);
      on_device->gram(static_cast<int>(blocks[b].begin), static_cast<int>(blocks[b].size()),
                      static_cast<int>(rows.rows()), static_cast<int>(row_step(features)),
                      1.0F / static_cast<float>(rows.rows()), gram.data());
    } else {
      add_gram(context, columns_of(rows, blocks[b]), gram);
    }
    for (Index j = 0; j < gram.rows(); ++j) block.gram_diagonal.push_back(gram(j, j));
    blocks_.push_back(std::move(block));
  }
}

void FeatureMetric::add_gram(const Context& context, ConstMatrixView<float> features,
                             Matrix<float>& gram) {
  const Partition tiles(features.cols(), kTileColumns);
  const float scale = 1.0F / static_cast<float>(features.rows());
  for_tiles({0, features.rows()}, rows_at_a_time(features), [&](Range part) {
    const ConstMatrixView<float> Z = features.rows_between(part.begin, part.end);
    const Work work = work_of(Z.size(), Z.cols(), 0.5);
    parallel_for(context, tiles.count() * tiles.count(), work, [&](Index pair) {
      const Range rows = tiles[pair / tiles.count()];
      const Range columns = tiles[pair % tiles.count()];
      if (columns.begin > rows.begin) return;  // symmetric
      blas::gemm<float>(
          blas::Op::kTransposed, blas::Op::kPlain, scale, columns_of(Z, rows),
          columns_of(Z, columns), 1.0F,
          columns_of(MatrixView<float>(gram).rows_between(rows.begin, rows.end), columns));
    });
  });
}

void FeatureMetric::factor(const Context& context, double r) {
  // To a power of ten, so that similar values of C share a factorisation.
  const double rounded = std::pow(10.0, std::round(std::log10(r)));
  if (rounded == factored_for_) return;
  for (Block& block : blocks_) factor_block(context, block, rounded);
  bias_scale_ = static_cast<float>(std::sqrt(1 + rounded));
  factored_for_ = rounded;
}

void FeatureMetric::factor_block(const Context& context, Block& block, double r) {
  constexpr int kTries = 8;
  Matrix<float>& M = block.gram_and_inverse;
  for (int tries = 0; tries < kTries; ++tries, r *= 10) {
    blas::mirror_lower<float>(context, M);
    for (Index i = 0; i < M.rows(); ++i)
      M(i, i) = block.gram_diagonal[static_cast<std::size_t>(i)] + static_cast<float>(r);
    if (!cholesky_upper<float>(context, M)) continue;
    invert_upper(context, M);
    return;
  }
  throw DataError("[svm] the features' Gram matrix cannot be factored; are they finite?");
}

void FeatureMetric::to_weights(const Context& context, MatrixView<float> V) const {
  for (const Block& block : blocks_)
    multiply_upper(context, blas::Op::kTransposed, block.gram_and_inverse,
                   columns_of(V, block.features));
  scale_last_column(V, 1 / bias_scale_);
}

void FeatureMetric::from_weights(MatrixView<float> W) const {
  for (const Block& block : blocks_)
    solve_upper_transposed(block.gram_and_inverse, columns_of(W, block.features));
  scale_last_column(W, bias_scale_);
}

void FeatureMetric::to_gradient(const Context& context, MatrixView<float> dW) const {
  for (const Block& block : blocks_)
    multiply_upper(context, blas::Op::kPlain, block.gram_and_inverse,
                   columns_of(dW, block.features));
  scale_last_column(dW, 1 / bias_scale_);
}

}  // namespace krica
