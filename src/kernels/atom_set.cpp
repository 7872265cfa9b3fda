// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/atom_set.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/distances.hpp"
#include "kernels/kernel_math.hpp"
#include "runtime/blas.hpp"
#include "runtime/vector_math.hpp"

namespace krica {
namespace {

/// Rows in a tile of the Gram matrix.
constexpr Index kTileRows = 128;

template <class Scalar>
const Scalar* row_of(const ConstMatrixView<Scalar>& matrix, Index i) {
  return matrix.data() + i * matrix.outerStride();
}

template <class Scalar>
Scalar* row_of(MatrixView<Scalar>& matrix, Index i) {
  return matrix.data() + i * matrix.outerStride();
}

/// Replaces ‖w-x‖² in `values` by κ, and writes the slopes if asked for. gammas: of the Gaussian,
/// one per atom.
template <class Scalar>
void map_distances(const Kernel& kernel, const Scalar* gammas, Scalar* values, Scalar* slopes,
                   Index count) {
  using Formula = KernelMath<NumberMath<Scalar>>;
  const auto b = static_cast<Scalar>(kernel.scale);
  switch (kernel.kind) {
    case KernelKind::kGaussian:
      for (Index u = 0; u < count; ++u)
        values[u] = Formula::gaussian_exponent(values[u], gammas[u]);
      exp_in_place(values, count);
      for (Index u = 0; slopes != nullptr && u < count; ++u)
        slopes[u] = Formula::gaussian_slope(values[u], gammas[u]);
      return;
    case KernelKind::kInverseSquareDistance:
      for (Index u = 0; u < count; ++u) values[u] = Formula::inverse_square_distance(values[u], b);
      for (Index u = 0; slopes != nullptr && u < count; ++u)
        slopes[u] = Formula::inverse_square_distance_slope(values[u], b);
      return;
    default:  // inverse distance
      for (Index u = 0; u < count; ++u) {
        const Scalar squared = values[u];
        values[u] = Formula::inverse_distance(squared, b);
        if (slopes != nullptr) slopes[u] = Formula::inverse_distance_slope(squared, values[u], b);
      }
  }
}

/// Replaces w·x in `values` by κ, and writes the slopes if asked for.
template <class Scalar>
void map_dots(const Kernel& kernel, Scalar* values, Scalar* slopes, Index count) {
  using Formula = KernelMath<NumberMath<Scalar>>;
  if (kernel.kind == KernelKind::kLinear) {
    if (slopes != nullptr) std::fill(slopes, slopes + count, Scalar(1));
    return;
  }
  for (Index u = 0; u < count; ++u) {
    const Scalar dot = values[u];
    values[u] = Formula::polynomial(dot, kernel.degree);
    if (slopes != nullptr) slopes[u] = Formula::polynomial_slope(dot, kernel.degree);
  }
}

}  // namespace

template <class Scalar>
AtomSet<Scalar>::AtomSet(const Kernel& kernel, ConstMatrixView<Scalar> W,
                         std::span<const Scalar> gammas)
    : kernel_(kernel),
      family_(family_of(kernel.kind)),
      W_(W),
      gammas_(gammas.begin(), gammas.end()) {
  const Index K = W.rows();
  const Index n = W.cols();
  if (family_ == KernelFamily::kDistance) squared_norms_ = squared_row_norms(W);
  if (gammas_.empty())
    gammas_.assign(static_cast<std::size_t>(K), static_cast<Scalar>(kernel.gamma));
  if (family_ == KernelFamily::kIntersection) {
    exp_W_transposed_ = Matrix<Scalar>(n, K);
    exp_W_transposed_.view() = static_cast<Scalar>(kernel.scale) * W.transpose();
    exp_in_place(exp_W_transposed_.data(), exp_W_transposed_.size());
  }
}

template <class Scalar>
void AtomSet<Scalar>::evaluate(ConstMatrixView<Scalar> X, MatrixView<Scalar> values,
                               MatrixView<Scalar>* slopes) const {
  if (family_ == KernelFamily::kIntersection) return evaluate_intersection(X, values, slopes);
  if (family_ == KernelFamily::kDistance) {
    squared_distances<Scalar>(X, W_, squared_norms_, values);
  } else {
    blas::gemm(blas::Op::kPlain, blas::Op::kTransposed, Scalar(1), X, W_, Scalar(0), values);
  }
  for (Index i = 0; i < X.rows(); ++i) {
    Scalar* row = row_of(values, i);
    Scalar* slope_row = slopes != nullptr ? row_of(*slopes, i) : nullptr;
    if (family_ == KernelFamily::kDotProduct) {
      map_dots(kernel_, row, slope_row, count());
    } else {
      map_distances(kernel_, gammas_.data(), row, slope_row, count());
    }
  }
}

template <class Scalar>
void AtomSet<Scalar>::evaluate_intersection(ConstMatrixView<Scalar> X, MatrixView<Scalar> values,
                                            MatrixView<Scalar>* slopes) const {
  const Index n = X.cols();
  std::vector<Scalar> exp_x(static_cast<std::size_t>(n));
  for (Index i = 0; i < X.rows(); ++i) {
    for (Index j = 0; j < n; ++j)
      exp_x[static_cast<std::size_t>(j)] = static_cast<Scalar>(kernel_.scale) * X(i, j);
    exp_in_place(exp_x.data(), n);
    // The innermost loop runs over atoms, so it vectorises without reordering any sum.
    Scalar* row = row_of(values, i);
    std::fill(row, row + count(), Scalar(0));
    for (Index j = 0; j < n; ++j) {
      const Scalar limit = exp_x[static_cast<std::size_t>(j)];
      const Scalar* exp_w = exp_W_transposed_.row(j);
      for (Index u = 0; u < count(); ++u) row[u] += exp_w[u] < limit ? exp_w[u] : limit;
    }
    if (slopes != nullptr) std::fill(row_of(*slopes, i), row_of(*slopes, i) + count(), Scalar(1));
  }
}

template <class Scalar>
void AtomSet<Scalar>::evaluate_self(const Context& context, MatrixView<Scalar> values,
                                    MatrixView<Scalar>* slopes) const {
  const Partition tiles(count(), kTileRows);
  const Work work = work_of(values.size(), W_.cols() + kPerExp);
  parallel_for(context, tiles.count(), work, [&](Index t) {
    const Range tile = tiles[t];
    MatrixView<Scalar> value_tile = values.rows_between(tile.begin, tile.end);
    if (slopes == nullptr)
      return evaluate(W_.rows_between(tile.begin, tile.end), value_tile, nullptr);
    MatrixView<Scalar> slope_tile = slopes->rows_between(tile.begin, tile.end);
    evaluate(W_.rows_between(tile.begin, tile.end), value_tile, &slope_tile);
  });
  // The bits of a product may differ between the two triangles, so one is copied to the other.
  blas::mirror_lower(context, values);
  if (slopes != nullptr) blas::mirror_lower(context, *slopes);
  for (Index u = 0; u < count(); ++u) {
    values(u, u) = static_cast<Scalar>(self_kernel(kernel_, row_of(W_, u), W_.cols()));
    if (slopes != nullptr && family_ == KernelFamily::kDistance)
      (*slopes)(u, u) = 0;  // w - w vanishes
  }
}

template <class Scalar>
void AtomSet<Scalar>::accumulate_products(Range atoms, ConstMatrixView<Scalar> M,
                                          ConstMatrixView<Scalar> X,
                                          MatrixView<Scalar> sums) const {
  const ConstMatrixView<Scalar> M_atoms(M.data() + atoms.begin, M.rows(), atoms.size(),
                                        M.outerStride());
  MatrixView<Scalar> atom_sums = sums.rows_between(atoms.begin, atoms.end);
  if (family_ == KernelFamily::kIntersection)
    return accumulate_intersection(atoms, M_atoms, X, atom_sums);
  blas::gemm(blas::Op::kTransposed, blas::Op::kPlain, Scalar(1), M_atoms, X, Scalar(1), atom_sums);
}

template <class Scalar>
void AtomSet<Scalar>::accumulate(Range atoms, ConstMatrixView<Scalar> M, ConstMatrixView<Scalar> X,
                                 MatrixView<Scalar> sums, std::span<double> totals) const {
  accumulate_products(atoms, M, X, sums);
  if (family_ != KernelFamily::kDistance) return;
  for (Index i = 0; i < M.rows(); ++i) {
    const Scalar* row = row_of(M, i);
    for (Index p = atoms.begin; p < atoms.end; ++p)
      totals[static_cast<std::size_t>(p)] += static_cast<double>(row[p]);
  }
}

template <class Scalar>
void AtomSet<Scalar>::accumulate_intersection(Range atoms, ConstMatrixView<Scalar> M_atoms,
                                              ConstMatrixView<Scalar> X,
                                              MatrixView<Scalar> atom_sums) const {
  const Index n = X.cols();
  for (Index p = 0; p < atoms.size(); ++p) {
    const Scalar* w = row_of(W_, atoms.begin + p);
    Scalar* sum = row_of(atom_sums, p);
    for (Index i = 0; i < X.rows(); ++i) {
      const Scalar weight = M_atoms(i, p);
      const Scalar* x = row_of(X, i);
      for (Index j = 0; j < n; ++j) sum[j] += share_below(w[j], x[j], weight);
    }
  }
}

template <class Scalar>
void AtomSet<Scalar>::finish_gradient(Index atom, double total, const Scalar* sums,
                                      Scalar* gradient) const {
  const Scalar* w = row_of(W_, atom);
  for (Index j = 0; j < W_.cols(); ++j) {
    const auto w_j = static_cast<double>(w[j]);
    const auto sum = static_cast<double>(sums[j]);
    double value = sum;
    if (family_ == KernelFamily::kDistance) value = total * w_j - sum;
    if (family_ == KernelFamily::kIntersection)
      value = intersection_slope(w_j, kernel_.scale) * sum;
    gradient[j] = static_cast<Scalar>(value);
  }
}

template class AtomSet<float>;
template class AtomSet<double>;

}  // namespace krica
