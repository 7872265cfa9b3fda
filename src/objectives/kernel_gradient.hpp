// SPDX-License-Identifier: BSD-3-Clause
//
// The gradient of any objective that depends on W through codes and Gram matrix, S_iu = κ(w_u, x_i)
// and G_uv = κ(w_u, w_v):
//
//   ∂f/∂w_p = Σ_i A_ip ∂κ(w_p, x_i)/∂w_p + 2 Σ_v B_pv ∂κ(w_p, w_v)/∂w_p,
//   A = ∂f/∂S, B = ∂f/∂G = CᵀC
//
// accumulated over blocks of samples (group_sums.hpp); C are the codes (S itself for kRICA; solved
// for in KSR).
#pragma once

#include <span>
#include <vector>

#include "kernels/atom_set.hpp"
#include "objectives/group_sums.hpp"

namespace krica {

template <class Scalar>
class KernelGradient {
 public:
  /// Those of which a thread finishes the gradient at once; a rank has whole runs of them.
  static constexpr Index kAtomsAtATime = 100;

  /// Resets the sums; K atoms of n values.
  void start(const Context& context, Index K, Index n, const SampleGroups& groups) {
    groups_ = groups;
    const Range own = groups.own(context);
    products_.start(K, K, groups.count(), own);
    sums_.start(K, n, groups.count(), own);
    totals_.start(1, K, groups.count(), own);
  }

  /// The contribution of a block through S: M = A ∘ slopes (rows of X × K).
  void add(const Context& context, const AtomSet<Scalar>& atoms, ConstMatrixView<Scalar> M,
           ConstMatrixView<Scalar> X) {
    const Partition tiles = atom_tiles(atoms.count());
    const Partition parts = groups_.parts(X.rows());
    const Range own = groups_.own_parts(context, parts);
    const Work work = work_of(M.size(), X.cols() + kPerValue);
    parallel_for(context, own.size() * tiles.count(), work, [&](Index task) {
      const Index group = own.begin + task / tiles.count();
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
    const Partition parts = groups_.parts(codes.rows());
    const Range own = groups_.own_parts(context, parts);
    const std::vector<TilePair> pairs = pairs_of(tiles.count());
    const Work work = work_of(codes.size(), codes.cols(), 0.5);
    parallel_for(context, own.size() * std::ssize(pairs), work, [&](Index task) {
      const Index group = own.begin + task % own.size();
      const TilePair pair = pairs[static_cast<std::size_t>(task / own.size())];
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

  /// The whole gradient times `scale`, on every rank; `weight` is that of the term in G. The part
  /// through G is the part through S with the atoms as samples and weights 2 CᵀC; the factor 2
  /// accounts for both arguments of κ(w_u, w_v). On request also the curvature D with
  /// ∂f/∂w_p = D_p (w_p - w*_p).
  void finish(const Context& context, const AtomSet<Scalar>& atoms, ConstMatrixView<Scalar> W,
              const Matrix<Scalar>& G_slopes, double weight, double scale,
              MatrixView<Scalar> gradient, std::span<double> curvature) {
    const Partition tiles(W.rows(), kAtomsAtATime);
    const Range own = own_share(context, tiles.count());
    add_groups(context, tiles);
    const std::span<double> totals(totals_.first().data(), static_cast<std::size_t>(W.rows()));
    const auto factor = static_cast<Scalar>(2 * weight);
    const Work work = work_of(W.size(), W.rows() + kPerValue);
    parallel_for(context, own.size(), work, [&](Index place) {
      const Range tile = tiles[own.begin + place];
      weigh_products(tile, factor, G_slopes);
      atoms.accumulate(tile, products_.first(), W, sums_.first(), totals);
      for (Index p = tile.begin; p < tile.end; ++p) {
        const double total = totals[static_cast<std::size_t>(p)];
        Scalar* row = gradient.data() + p * gradient.outerStride();
        atoms.finish_gradient(p, total, sums_.first().data() + p * W.cols(), row);
        for (Index j = 0; j < W.cols(); ++j)
          row[j] = static_cast<Scalar>(static_cast<double>(row[j]) * scale);
        if (!curvature.empty()) curvature[static_cast<std::size_t>(p)] = total * scale;
      }
    });
    gather_part_rows<Scalar>(context, gradient, tiles);
    if (!curvature.empty()) gather_parts(context, curvature.data(), tiles);
  }

 private:
  /// The sums over the groups, each in the memory of its first. A rank of several gets those of its
  /// atoms: columns of CᵀC.
  void add_groups(const Context& context, const Partition& tiles) {
    if (context.shares_rows()) return add_groups_of_ranks(context, tiles);
    sums_.total(context);
    totals_.total(context);
    blas::mirror_lower<Scalar>(context, products_.total(context));
  }

  /// A slice has the sums and totals of a rank's atoms, and the lower triangle of CᵀC in their
  /// rows, then in their columns below these rows.
  void add_groups_of_ranks(const Context& context, const Partition& tiles) {
    const int ranks = context.ranks()->size();
    const RankTree tree(groups_.count(), context.ranks()->rank(), ranks);
    products_.add(context, tree.own);
    sums_.add(context, tree.own);
    totals_.add(context, tree.own);
    const Index K = products_.first().cols();
    const Index n = sums_.first().cols();
    const Slice<Scalar> total = scattered_.add(
        context, groups_.count(), tree,
        [&](int rank) {
          const auto atoms = static_cast<std::size_t>(rows_of_share(tiles, rank, ranks).size());
          return SliceSize{atoms, atoms * static_cast<std::size_t>(n + K)};
        },
        [&](Index group, int rank, const Slice<Scalar>& slice) {
          cut(group, rows_of_share(tiles, rank, ranks), slice);
        });
    paste(total, rows_of_share(tiles, context.ranks()->rank(), ranks));
  }

  void cut(Index group, Range atoms, const Slice<Scalar>& slice) {
    const MatrixView<Scalar> products = products_.sum(group);
    const MatrixView<Scalar> sums = sums_.sum(group);
    std::copy_n(totals_.sum(group).data() + atoms.begin, atoms.size(), slice.doubles.data());
    Scalar* to = std::copy_n(sums.data() + atoms.begin * sums.cols(), atoms.size() * sums.cols(),
                             slice.values.data());
    for (Index u = atoms.begin; u < atoms.end; ++u)
      to = std::copy_n(products.row(u).data(), atoms.end, to);
    for (Index u = atoms.end; u < products.rows(); ++u)
      to = std::copy_n(products.row(u).data() + atoms.begin, atoms.size(), to);
  }

  void paste(const Slice<Scalar>& slice, Range atoms) {
    MatrixView<Scalar> products = products_.first();
    MatrixView<Scalar> sums = sums_.first();
    std::copy_n(slice.doubles.data(), atoms.size(), totals_.first().data() + atoms.begin);
    const Scalar* from = slice.values.data();
    std::copy_n(from, atoms.size() * sums.cols(), sums.data() + atoms.begin * sums.cols());
    from += atoms.size() * sums.cols();
    for (Index u = atoms.begin; u < atoms.end; ++u) {
      for (Index v = 0; v <= u; ++v) products(v, u) = from[v];  // mirrored
      from += atoms.end;
    }
    for (Index u = atoms.begin; u < atoms.end; ++u) {
      for (Index v = atoms.begin; v < u; ++v) products(u, v) = products(v, u);
    }
    for (Index u = atoms.end; u < products.rows(); ++u, from += atoms.size())
      std::copy_n(from, atoms.size(), products.row(u).data() + atoms.begin);
  }

  /// Columns of CᵀC become those of 2 CᵀC ∘ slopes.
  void weigh_products(Range atoms, Scalar factor, const Matrix<Scalar>& G_slopes) {
    for (Index u = 0; u < G_slopes.rows(); ++u) {
      Scalar* row = products_.first().data() + u * G_slopes.cols();
      const Scalar* slopes = G_slopes.row(u);
      for (Index v = atoms.begin; v < atoms.end; ++v) row[v] *= factor * slopes[v];
    }
  }

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

  SampleGroups groups_{1, 1, 1};
  GroupSums<Scalar> products_;  // CᵀC, lower triangle; in finish 2 CᵀC ∘ slopes
  GroupSums<Scalar> sums_;      // K×n
  GroupSums<double> totals_;    // 1×K
  ScatteredSum<Scalar> scattered_;
};

}  // namespace krica
