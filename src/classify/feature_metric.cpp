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

/// A Gram matrix in tiles of at most kTileColumns features, which are dealt to the ranks; those
/// above the diagonal are not needed.
class GramTiles {
 public:
  explicit GramTiles(Matrix<float>& gram) : gram_(gram), parts_(gram.cols(), kTileColumns) {
    for (Index row = 0; row < parts_.count(); ++row) {
      for (Index column = 0; column <= row; ++column) places_.emplace_back(row, column);
    }
  }

  [[nodiscard]] Index count() const { return std::ssize(places_); }

  /// Adds scale ZᵀZ.
  void add(Index tile, float scale, ConstMatrixView<float> Z) {
    const auto [rows, columns] = features(tile);
    blas::gemm<float>(blas::Op::kTransposed, blas::Op::kPlain, scale, columns_of(Z, rows),
                      columns_of(Z, columns), 1.0F, view(tile));
  }

  /// Gives every rank all tiles.
  void gather(const Context& context) {
    if (!context.shares_rows()) return;
    const DealtItems deal(context);
    for (Index tile = 0; tile < count(); ++tile)
      broadcast_part(context, deal.owner(tile), view(tile));
  }

 private:
  [[nodiscard]] std::pair<Range, Range> features(Index tile) const {
    const auto [row, column] = places_[static_cast<std::size_t>(tile)];
    return {parts_[row], parts_[column]};
  }
  [[nodiscard]] MatrixView<float> view(Index tile) {
    const auto [rows, columns] = features(tile);
    return columns_of(MatrixView<float>(gram_).rows_between(rows.begin, rows.end), columns);
  }

  Matrix<float>& gram_;
  Partition parts_;
  std::vector<std::pair<Index, Index>> places_;
};

/// Blocks of every step-th row of the features; of ranks that share them, each gets a copy.
class SpreadRows {
 public:
  SpreadRows(const Context& context, ConstMatrixView<float> features, Index step)
      : context_(context),
        features_(features),
        step_(step),
        spread_(features.data(), features.rows() / step, features.cols(),
                features.outerStride() * step) {}

  [[nodiscard]] Index count() const { return spread_.rows(); }
  [[nodiscard]] Index at_a_time() const { return rows_at_a_time(spread_); }

  /// Valid until the next call.
  ConstMatrixView<float> block(Range rows) {
    if (!context_.shares_rows()) return spread_.rows_between(rows.begin, rows.end);
    std::vector<Index> chosen;
    for (Index i = rows.begin; i < rows.end; ++i) chosen.push_back(i * step_);
    if (copies_.rows() < rows.size()) copies_ = Matrix<float>(rows.size(), features_.cols());
    gather_ascending_rows<float>(context_, features_, chosen, copies_.data());
    return ConstMatrixView<float>(copies_).rows_between(0, rows.size());
  }

 private:
  const Context& context_;
  ConstMatrixView<float> features_;
  Index step_;
  ConstMatrixView<float> spread_;
  Matrix<float> copies_;
};

}  // namespace

void FeatureMetric::add_gram(const Context& context, ConstMatrixView<float> features, Index step,
                             Matrix<float>& gram) {
  SpreadRows spread(context, features, step);
  GramTiles tiles(gram);
  const DealtItems deal(context);
  const float scale = 1.0F / static_cast<float>(spread.count());
  for_tiles({0, spread.count()}, spread.at_a_time(), [&](Range part) {
    const ConstMatrixView<float> Z = spread.block(part);
    parallel_for(context, tiles.count(), work_of(Z.size(), Z.cols(), 0.5), [&](Index tile) {
      if (deal.is_own(tile)) tiles.add(tile, scale, Z);
    });
  });
  tiles.gather(context);
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
  for (const Block& block : blocks_) {
    multiply_upper(context, blas::Op::kTransposed, block.gram_and_inverse,
                   columns_of(V, block.features));
  }
  scale_last_column(V, 1 / bias_scale_);
}

void FeatureMetric::from_weights(MatrixView<float> W) const {
  for (const Block& block : blocks_)
    solve_upper_transposed(block.gram_and_inverse, columns_of(W, block.features));
  scale_last_column(W, bias_scale_);
}

void FeatureMetric::to_gradient(const Context& context, MatrixView<float> dW) const {
  for (const Block& block : blocks_) {
    multiply_upper(context, blas::Op::kPlain, block.gram_and_inverse,
                   columns_of(dW, block.features));
  }
  scale_last_column(dW, 1 / bias_scale_);
}

}  // namespace krica
