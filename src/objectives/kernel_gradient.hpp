// SPDX-License-Identifier: BSD-3-Clause
//
// The gradient of any objective that depends on W through codes and Gram matrix, S_iu = κ(w_u, x_i)
// and G_uv = κ(w_u, w_v):
//
//   ∂f/∂w_p = Σ_i A_ip ∂κ(w_p, x_i)/∂w_p + 2 Σ_v B_pv ∂κ(w_p, w_v)/∂w_p,
//   A = ∂f/∂S, B = ∂f/∂G = CᵀC
//
// accumulated over blocks of samples; C are the codes (S itself for kRICA; solved for in KSR).
#pragma once

#include <span>
#include <vector>

#include "kernels/atom_set.hpp"
#include "objectives/group_sums.hpp"

namespace krica {

template <class Scalar>
class KernelGradient {
 public:
  /// Resets the sums; K atoms of n values, and the number of samples to come.
  void start(Index K, Index n, Index samples) {
    const Index tiles = atom_tiles(K).count();
    products_.start(K, K, samples, tiles * (tiles + 1) / 2);
    sums_.start(K, n, samples, tiles);
    totals_.start(1, K, samples, tiles);
  }

  /// The contribution of a block through S: M = A ∘ slopes (rows of X × K).
  void add(const Context& context, const AtomSet<Scalar>& atoms, ConstMatrixView<Scalar> M,
           ConstMatrixView<Scalar> X) {
    const Partition tiles = atom_tiles(atoms.count());
    const Partition parts = sums_.parts(X.rows());
    const Work work = work_of(M.size(), X.cols() + kPerValue);
    parallel_for(context, parts.count() * tiles.count(), work, [&](Index task) {
      const Index group = task / tiles.count();
      const Range rows = parts[group];
      const std::span<double> totals(totals_.sum(group).data(),
                                     static_cast<std::size_t>(atoms.count()));
      atoms.accumulate(tiles[task % tiles.count()], M.rows_between(rows.begin, rows.end),
                       X.rows_between(rows.begin, rows.end), sums_.sum(group), totals);
    });
  }

  /// A block's CᵀC: tiles of the lower triangle, each summed over the blocks in order. Tiles on the
  /// diagonal are half the work, so they come last, when threads run out of tasks.
  void add_code_products(const Context& context, ConstMatrixView<Scalar> codes) {
    const Partition tiles = atom_tiles(codes.cols());
    const Partition parts = products_.parts(codes.rows());
    const std::vector<TilePair> pairs = pairs_of(tiles.count());
    const Work work = work_of(codes.size(), codes.cols(), 0.5);
    parallel_for(context, parts.count() * std::ssize(pairs), work, [&](Index task) {
      const Index group = task % parts.count();
      const TilePair pair = pairs[static_cast<std::size_t>(task / parts.count())];
      const Range row = tiles[pair.row];
      const Range col = tiles[pair.col];
      const auto part = codes.rows_between(parts[group].begin, parts[group].end);
      const ConstMatrixView<Scalar> left = columns_of(part, row);
      const MatrixView<Scalar> product =
          columns_of(products_.sum(group).rows_between(row.begin, row.end), col);
      if (row.begin == col.begin) {
        blas::syrk_lower<Scalar>(Scalar(1), left, Scalar(1), product);
      } else {
        blas::gemm<Scalar>(blas::Op::kTransposed, blas::Op::kPlain, Scalar(1), left,
                           columns_of(part, col), Scalar(1), product);
      }
    });
  }

  /// The whole gradient times `scale`; `weight` is that of the term in G. The part through G is the
  /// part through S with the atoms as samples and weights 2 CᵀC; the factor 2 accounts for both
  /// arguments of κ(w_u, w_v). On request also the curvature D with ∂f/∂w_p = D_p (w_p - w*_p).
  void finish(const Context& context, const AtomSet<Scalar>& atoms, ConstMatrixView<Scalar> W,
              const Matrix<Scalar>& G_slopes, double weight, double scale,
              MatrixView<Scalar> gradient, std::span<double> curvature) {
    const MatrixView<Scalar> products = products_.total(context);
    blas::mirror_lower<Scalar>(context, products);
    const auto factor = static_cast<Scalar>(2 * weight);
    const Partition tiles(W.rows(), kRowsAtATime);
    parallel_for(context, tiles.count(), work_of(products.size(), kPerValue), [&](Index t) {
      for (Index u = tiles[t].begin; u < tiles[t].end; ++u) {
        Scalar* row = products_.sum(0).data() + u * W.rows();
        const Scalar* slopes = G_slopes.row(u);
        for (Index v = 0; v < W.rows(); ++v) row[v] *= factor * slopes[v];
      }
    });
    add(context, atoms, products, W);
    const MatrixView<Scalar> sums = sums_.total(context);
    const MatrixView<double> totals = totals_.total(context);
    parallel_for(context, tiles.count(), work_of(W.size(), 2 * kPerValue), [&](Index t) {
      for (Index p = tiles[t].begin; p < tiles[t].end; ++p) {
        const double total = totals(0, p);
        Scalar* row = gradient.data() + p * gradient.outerStride();
        atoms.finish_gradient(p, total, sums.data() + p * W.cols(), row);
        for (Index j = 0; j < W.cols(); ++j)
          row[j] = static_cast<Scalar>(static_cast<double>(row[j]) * scale);
        if (!curvature.empty()) curvature[static_cast<std::size_t>(p)] = total * scale;
      }
    });
  }

 private:
  static constexpr Index kRowsAtATime = 32;

  struct TilePair {
    Index row;
    Index col;
  };
  /// Tiles with col < row, then those on the diagonal.
  static std::vector<TilePair> pairs_of(Index tiles) {
    std::vector<TilePair> pairs;
    for (Index row = 0; row < tiles; ++row) {
      for (Index col = 0; col < row; ++col) pairs.push_back({row, col});
    }
    for (Index tile = 0; tile < tiles; ++tile) pairs.push_back({tile, tile});
    return pairs;
  }

  GroupSums<Scalar> products_;  // CᵀC, lower triangle; in finish 2 CᵀC ∘ slopes
  GroupSums<Scalar> sums_;      // K×n
  GroupSums<double> totals_;    // 1×K
};

}  // namespace krica
