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

void scale_last_column(MatrixView<float> matrix, float factor) {
  for (Index c = 0; c < matrix.rows(); ++c) matrix(c, matrix.cols() - 1) *= factor;
}

}  // namespace

FeatureMetric::FeatureMetric(const Context& context, ConstMatrixView<float> features,
                             device::HingeSums* on_device) {
  const Index step = row_step(features);
  const Index rows = features.rows() / step;
  const Partition blocks(features.cols(), kBlockFeatures);
  for (Index b = 0; b < blocks.count(); ++b) {
    Block block{blocks[b], Matrix<float>(blocks[b].size(), blocks[b].size()), {}};
    Matrix<float>& gram = block.gram_and_inverse;
    if (on_device != nullptr) {
      device::use_device(context);
      on_device->gram(static_cast<int>(blocks[b].begin), static_cast<int>(blocks[b].size()),
                      static_cast<int>(rows), static_cast<int>(step),
                      1.0F / static_cast<float>(rows), gram.data());
    } else {
      add_gram(context, columns_of(features, blocks[b]), step, gram);
    }
    for (Index j = 0; j < gram.rows(); ++j) block.gram_diagonal.push_back(gram(j, j));
    blocks_.push_back(std::move(block));
  }
}

namespace {

/// Every rank's share of the tiles of a Gram matrix, given to all. Each is a square of at most
/// kTileColumns; those above the diagonal are not needed.
void gather_tiles(const Context& context, const Partition& tiles, Matrix<float>& gram) {
  if (!context.shares_rows()) return;
  for (Index pair = 0; pair < tiles.count() * tiles.count(); ++pair) {
    const Range rows = tiles[pair / tiles.count()];
    const Range columns = tiles[pair % tiles.count()];
    if (columns.begin > rows.begin) continue;
    const auto tile =
        columns_of(MatrixView<float>(gram).rows_between(rows.begin, rows.end), columns);
    Matrix<float> copy = Matrix<float>::copy_of(tile);
    const auto owner = static_cast<int>(pair % context.ranks()->size());
    context.ranks()->broadcast(owner, copy.data(),
                               sizeof(float) * static_cast<std::size_t>(copy.size()));
    columns_of(MatrixView<float>(gram).rows_between(rows.begin, rows.end), columns) = copy.view();
  }
}

/// Some rows that lie evenly spaced in the features, on every rank.
Matrix<float> gathered(const Context& context, ConstMatrixView<float> features, Range rows,
                       Index step) {
  std::vector<Index> chosen;
  for (Index i = rows.begin; i < rows.end; ++i) chosen.push_back(i * step);
  return gather_rows<float>(context, features, chosen);
}

}  // namespace

void FeatureMetric::add_gram(const Context& context, ConstMatrixView<float> features, Index step,
                             Matrix<float>& gram) {
  const ConstMatrixView<float> spread(features.data(), features.rows() / step, features.cols(),
                                      features.outerStride() * step);
  const Partition tiles(features.cols(), kTileColumns);
  const float scale = 1.0F / static_cast<float>(spread.rows());
  const bool shares = context.shares_rows();
  for_tiles({0, spread.rows()}, rows_at_a_time(spread), [&](Range part) {
    const Matrix<float> copies =
        shares ? gathered(context, features, part, step) : Matrix<float>(0, 0);
    const ConstMatrixView<float> Z =
        shares ? ConstMatrixView<float>(copies) : spread.rows_between(part.begin, part.end);
    const Work work = work_of(Z.size(), Z.cols(), 0.5);
    parallel_for(context, tiles.count() * tiles.count(), work, [&](Index pair) {
      if (shares && pair % context.ranks()->size() != context.ranks()->rank()) return;
      const Range rows = tiles[pair / tiles.count()];
      const Range columns = tiles[pair % tiles.count()];
      if (columns.begin > rows.begin) return;  // symmetric
      blas::gemm<float>(
          blas::Op::kTransposed, blas::Op::kPlain, scale, columns_of(Z, rows),
          columns_of(Z, columns), 1.0F,
          columns_of(MatrixView<float>(gram).rows_between(rows.begin, rows.end), columns));
    });
  });
  gather_tiles(context, tiles, gram);
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
