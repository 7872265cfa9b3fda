// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/sparse_filtering.hpp"

#include <cmath>

#include "krica/kernels/kernel.hpp"
#include "objectives/basis_condition.hpp"
#include "runtime/blas.hpp"
#include "runtime/ordered_reduce.hpp"
#include "runtime/sharing.hpp"

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

/// Sums over samples; only those for the value if no gradient is wanted.
template <class Scalar>
struct Sums {
  double value = 0;
  std::vector<double> alignment;  // Σ_i δ_iu F̃_iu
  Matrix<Scalar> products;        // Σ_i ∂f/∂s_iu x_i, times m

  Sums(Index K, Index n) : alignment(static_cast<std::size_t>(K), 0.0), products(K, n) {}
  static auto members(auto& sums) { return std::tie(sums.value, sums.alignment, sums.products); }
};

/// Replaces one sample's s with ∂f/∂s (times m); adds δ ∘ F̃ to alignment. Returns its contribution
/// to f.
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

template <class Scalar>
Sums<Scalar> sums_over(const Context& context, ConstMatrixView<Scalar> samples,
                       ConstMatrixView<Scalar> W, const std::vector<double>& norms,
                       bool with_gradient) {
  const Partition parts = sum_parts(samples.rows(), kTileRows);
  const Work work = work_of(samples.rows(), W.rows(), 2 * samples.cols() + kPerExp);
  return ordered_reduce<Sums<Scalar>>(
      context, parts.count(), work,
      [&] { return Sums<Scalar>(with_gradient ? W.rows() : 0, W.cols()); },
      [&](Index part, Sums<Scalar>& sums) {
        for_tiles(parts[part], kTileRows, [&](Range tile) {
          const auto X = samples.rows_between(tile.begin, tile.end);
          Matrix<Scalar> S(X.rows(), W.rows());
          blas::gemm<Scalar>(Op::kPlain, Op::kTransposed, Scalar(1), X, W, Scalar(0), S);
          for (Index i = 0; i < X.rows(); ++i) {
            sums.value +=
                filter_row(S.row(i), norms, with_gradient ? sums.alignment.data() : nullptr);
          }
          if (!with_gradient) return;
          blas::gemm<Scalar>(Op::kTransposed, Op::kPlain, Scalar(1), S, X, Scalar(1),
                             sums.products);
        });
      });
}

}  // namespace

template <class Scalar>
SparseFilteringObjective<Scalar>::SparseFilteringObjective(ConstMatrixView<Scalar> X,
                                                           Index components)
    : EvaluatedObjective<Scalar>(kName, X, components, X.cols()) {}

template <class Scalar>
BasisCondition SparseFilteringObjective<Scalar>::condition(const Context& context,
                                                           ConstMatrixView<Scalar> W) {
  return basis_condition(context, {.kind = KernelKind::kLinear}, this->samples(), W);
}

template <class Scalar>
double SparseFilteringObjective<Scalar>::evaluate_on(const Context& context,
                                                     const Samples<Scalar>& batch,
                                                     ConstMatrixView<Scalar> W,
                                                     MatrixView<Scalar>* gradient) {
  if (batch.is_all() && !all_products_) all_products_ = products_of(context, batch.X);
  const Matrix<double> CW =
      times(context, W, batch.is_all() ? *all_products_ : products_of(context, batch.X));
  const auto m = static_cast<double>(batch.X.rows());
  std::vector<double> norms;
  for (Index u = 0; u < W.rows(); ++u) {
    double squares = (m + 1) * kSoftAbsolute;
    for (Index j = 0; j < W.cols(); ++j) squares += static_cast<double>(W(u, j)) * CW(u, j);
    norms.push_back(std::sqrt(squares));
  }
  const Sums<Scalar> sums = sums_over(sharing(context), batch.X, W, norms, gradient != nullptr);
  for (Index u = 0; gradient != nullptr && u < W.rows(); ++u) {
    const auto place = static_cast<std::size_t>(u);
    const double pull = sums.alignment[place] / (norms[place] * norms[place]);
    for (Index j = 0; j < W.cols(); ++j) {
      (*gradient)(u, j) =
          static_cast<Scalar>((static_cast<double>(sums.products(u, j)) - pull * CW(u, j)) / m);
    }
  }
  return sums.value / m;
}

template class SparseFilteringObjective<float>;
template class SparseFilteringObjective<double>;

}  // namespace krica
