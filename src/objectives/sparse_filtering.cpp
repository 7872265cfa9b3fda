// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/sparse_filtering.hpp"

#include <cmath>

#include "krica/kernels/kernel.hpp"
#include "objectives/basis_condition.hpp"
#include "runtime/blas.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

using blas::Op;

constexpr std::string_view kName = "sparse_filtering";

template <class Scalar>
Matrix<double> products_of(const Context& context, ConstMatrixView<Scalar> X) {
  Matrix<double> C(X.cols(), X.cols());
  blas::gram_of_columns<Scalar>(context, X, C);
  return C;
}

/// W C, K×n.
template <class Scalar>
Matrix<double> times(const Context& context, ConstMatrixView<Scalar> W, const Matrix<double>& C) {
  const Matrix<double> wide = Matrix<double>::copy_of(W.template cast<double>());
  Matrix<double> result(W.rows(), W.cols());
  blas::gemm<double>(context, Op::kPlain, Op::kPlain, 1.0, wide, C, 0.0, result);
  return result;
}

/// Turns one sample's s into ∂f/∂s (times m); adds δ ∘ F̃ to alignment. Returns its part of f.
template <class Scalar>
double filter_row(Scalar* s, const std::vector<double>& norms, double* alignment) {
  double sum = 0;
  double squares = kSoftAbsolute;
  for (std::size_t u = 0; u < norms.size(); ++u) {
    const auto s_u = static_cast<double>(s[u]);
    const double unit = std::sqrt(s_u * s_u + kSoftAbsolute) / norms[u];
    sum += unit;
    squares += unit * unit;
  }
  const double length = std::sqrt(squares);
  if (alignment == nullptr) return sum / length;
  for (std::size_t u = 0; u < norms.size(); ++u) {
    const auto s_u = static_cast<double>(s[u]);
    const double absolute = std::sqrt(s_u * s_u + kSoftAbsolute);
    const double unit = absolute / norms[u];
    const double delta = 1 / length - unit * sum / (length * squares);
    alignment[u] += delta * unit;
    s[u] = static_cast<Scalar>(delta * s_u / (absolute * norms[u]));
  }
  return sum / length;
}

}  // namespace

template <class Scalar>
SparseFilteringObjective<Scalar>::SparseFilteringObjective(const Context& context,
                                                           ConstMatrixView<Scalar> X,
                                                           Index components)
    : EvaluatedObjective<Scalar>(kName, context, X, components, X.cols()) {}

template <class Scalar>
BasisCondition SparseFilteringObjective<Scalar>::condition(ConstMatrixView<Scalar> W) {
  return basis_condition(this->context(), {.kind = KernelKind::kLinear}, this->samples(), W);
}

template <class Scalar>
double SparseFilteringObjective<Scalar>::evaluate_on(const Samples<Scalar>& batch,
                                                     ConstMatrixView<Scalar> W,
                                                     MatrixView<Scalar>* gradient) {
  if (batch.is_all() && !all_products_) all_products_ = products_of(this->context(), batch.X);
  const Matrix<double> CW = times(
      this->context(), W, batch.is_all() ? *all_products_ : products_of(this->context(), batch.X));
  const auto m = static_cast<double>(batch.X.rows());
  std::vector<double> norms;
  for (Index u = 0; u < W.rows(); ++u) {
    double squares = (m + 1) * kSoftAbsolute;
    for (Index j = 0; j < W.cols(); ++j) squares += static_cast<double>(W(u, j)) * CW(u, j);
    norms.push_back(std::sqrt(squares));
  }
  std::vector<double> alignment(norms.size(), 0.0);  // Σ_i δ_iu F̃_iu
  Matrix<Scalar> sums(W.rows(), W.cols());
  const Partition blocks(batch.X.rows(), block_rows_for<Scalar>(0, W.rows()));
  if (codes_.rows() < blocks.largest()) codes_ = Matrix<Scalar>(blocks.largest(), W.rows());
  double value = 0;
  for (Index b = 0; b < blocks.count(); ++b) {
    const ConstMatrixView<Scalar> X = batch.X.rows_between(blocks[b].begin, blocks[b].end);
    value += evaluate_block(X, W, norms, gradient != nullptr ? &alignment : nullptr);
    if (gradient == nullptr) continue;
    blas::gemm<Scalar>(this->context(), Op::kTransposed, Op::kPlain, Scalar(1),
                       ConstMatrixView<Scalar>(codes_).rows_between(0, X.rows()), X, Scalar(1),
                       sums);
  }
  for (Index u = 0; gradient != nullptr && u < W.rows(); ++u) {
    const auto place = static_cast<std::size_t>(u);
    const double pull = alignment[place] / (norms[place] * norms[place]);
    for (Index j = 0; j < W.cols(); ++j) {
      (*gradient)(u, j) =
          static_cast<Scalar>((static_cast<double>(sums(u, j)) - pull * CW(u, j)) / m);
    }
  }
  return value / m;
}

/// Fills codes_ with ∂f/∂s (times m) of the block's samples where alignment is wanted.
template <class Scalar>
double SparseFilteringObjective<Scalar>::evaluate_block(ConstMatrixView<Scalar> X,
                                                        ConstMatrixView<Scalar> W,
                                                        const std::vector<double>& norms,
                                                        std::vector<double>* alignment) {
  const Partition tiles(X.rows(), kTileRows);
  Matrix<double> tile_alignment(tiles.count(), W.rows());
  const Work work = work_of(X.rows(), W.rows(), X.cols() + kPerExp);
  const double value = parallel_sum(this->context(), tiles.count(), work, [&](Index t) {
    const Range tile = tiles[t];
    blas::gemm<Scalar>(Op::kPlain, Op::kTransposed, Scalar(1), X.rows_between(tile.begin, tile.end),
                       W, Scalar(0), MatrixView<Scalar>(codes_).rows_between(tile.begin, tile.end));
    double sum = 0;
    for (Index i = tile.begin; i < tile.end; ++i) {
      sum +=
          filter_row(codes_.row(i), norms, alignment != nullptr ? tile_alignment.row(t) : nullptr);
    }
    return sum;
  });
  for (Index t = 0; alignment != nullptr && t < tiles.count(); ++t) {
    for (Index u = 0; u < W.rows(); ++u)
      (*alignment)[static_cast<std::size_t>(u)] += tile_alignment(t, u);
  }
  return value;
}

template class SparseFilteringObjective<float>;
template class SparseFilteringObjective<double>;

}  // namespace krica
