// SPDX-License-Identifier: BSD-3-Clause
//
// The gradient of any objective that depends on W through codes and Gram matrix, S_iu = κ(w_u, x_i)
// and G_uv = κ(w_u, w_v):
//
//   ∂f/∂w_p = Σ_i A_ip ∂κ(w_p, x_i)/∂w_p + 2 Σ_v B_pv ∂κ(w_p, w_v)/∂w_p,  A = ∂f/∂S, B = ∂f/∂G =
//   CᵀC
//
// gathered block by block of samples; C are the codes (kRICA's are S itself, KSR's are solved for).
#pragma once

#include <span>
#include <vector>

#include "kernels/atom_set.hpp"
#include "objectives/samples.hpp"
#include "runtime/blas.hpp"

namespace krica {

template <class Scalar>
class KernelGradient {
 public:
  /// Forgets what was gathered; K atoms of n values.
  void start(Index K, Index n) {
    if (products_.rows() != K) products_ = Matrix<Scalar>(K, K);
    if (sums_.rows() != K || sums_.cols() != n) sums_ = Matrix<Scalar>(K, n);
    products_.set_zero();
    sums_.set_zero();
    totals_.assign(static_cast<std::size_t>(K), 0.0);
  }

  /// A block's part through S: M = A ∘ slopes (rows of X × K).
  void add(const Context& context, const AtomSet<Scalar>& atoms, ConstMatrixView<Scalar> M,
           ConstMatrixView<Scalar> X) {
    const Partition tiles = atom_tiles(atoms.count());
    parallel_for(context, tiles.count(),
                 [&](Index t) { atoms.accumulate(tiles[t], M, X, sums_, totals_); });
  }

  /// A block's CᵀC: tiles of the lower triangle, each summed over the blocks in their order.
  void add_code_products(const Context& context, ConstMatrixView<Scalar> codes) {
    const Index K = codes.cols();
    const Partition tiles = atom_tiles(K);
    parallel_for(context, tiles.count() * tiles.count(), [&](Index t) {
      const Range row = tiles[t / tiles.count()];
      const Range col = tiles[t % tiles.count()];
      if (col.begin > row.begin) return;
      const Index stride = codes.outerStride();
      const ConstMatrixView<Scalar> left(codes.data() + row.begin, codes.rows(), row.size(),
                                         stride);
      const ConstMatrixView<Scalar> right(codes.data() + col.begin, codes.rows(), col.size(),
                                          stride);
      const MatrixView<Scalar> product(products_.row(row.begin) + col.begin, row.size(), col.size(),
                                       K);
      if (row.begin == col.begin) {
        blas::syrk_lower<Scalar>(Scalar(1), left, Scalar(1), product);
      } else {
        blas::gemm<Scalar>(blas::Op::kTransposed, blas::Op::kPlain, Scalar(1), left, right,
                           Scalar(1), product);
      }
    });
  }

  /// The whole gradient times `scale`; `weight` is that of the term in G. The part through G is the
  /// part through S with the atoms as samples and weights 2 CᵀC; the factor 2 covers both arguments
  /// of κ(w_u, w_v). Where wanted, also the curvature D with ∂f/∂w_p = D_p (w_p - w*_p).
  void finish(const Context& context, const AtomSet<Scalar>& atoms, ConstMatrixView<Scalar> W,
              const Matrix<Scalar>& G_slopes, double weight, double scale,
              MatrixView<Scalar> gradient, std::span<double> curvature) {
    blas::mirror_lower<Scalar>(context, products_);
    const auto factor = static_cast<Scalar>(2 * weight);
    const Partition tiles = atom_tiles(W.rows());
    parallel_for(context, tiles.count(), [&](Index t) {
      for (Index u = tiles[t].begin; u < tiles[t].end; ++u) {
        Scalar* row = products_.row(u);
        const Scalar* slopes = G_slopes.row(u);
        for (Index v = 0; v < W.rows(); ++v) row[v] *= factor * slopes[v];
      }
    });
    add(context, atoms, products_, W);
    parallel_for(context, tiles.count(), [&](Index t) {
      for (Index p = tiles[t].begin; p < tiles[t].end; ++p) {
        const double total = totals_[static_cast<std::size_t>(p)];
        Scalar* row = gradient.data() + p * gradient.outerStride();
        atoms.finish_gradient(p, total, sums_.row(p), row);
        for (Index j = 0; j < W.cols(); ++j)
          row[j] = static_cast<Scalar>(static_cast<double>(row[j]) * scale);
        if (!curvature.empty()) curvature[static_cast<std::size_t>(p)] = total * scale;
      }
    });
  }

 private:
  Matrix<Scalar> products_;  // CᵀC, lower triangle; in finish 2 CᵀC ∘ slopes
  Matrix<Scalar> sums_;      // K×n
  std::vector<double> totals_;
};

}  // namespace krica
