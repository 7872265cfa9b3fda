// SPDX-License-Identifier: BSD-3-Clause
//
// Sums over samples of products with one row per atom, AᵀB. Tiles of atoms alone are too few for
// many threads, and smaller tiles make products slower; so the samples are divided into groups as
// well, each with its own sum: group g has part g of every block. Groups and parts depend only on
// the sizes.
//
// A group adds its blocks in order. A tree would need a sum of the gradient's size for each level
// and a pass over each, whereas now products are added to the sum in place. The order is still
// fixed: blocks come one after another, and within a block one thread owns each tile of a group's
// sum. The sums of the groups are added in a tree. Threads can therefore share groups and tiles in
// any way, and several machines get the same bits if each owns whole groups across all blocks.
#pragma once

#include <algorithm>
#include <vector>

#include "objectives/samples.hpp"
#include "runtime/blas.hpp"
#include "runtime/columns.hpp"
#include "runtime/ordered_reduce.hpp"

namespace krica {

/// One sum of rows × cols per group.
template <class Scalar>
class GroupSums {
 public:
  /// Zeros. `samples` is the total number of samples, `tasks` the number of tasks in one group's
  /// part of a product.
  void start(Index rows, Index cols, Index samples, Index tasks) {
    constexpr Index kTasks = 32;              // enough for threads to share evenly
    constexpr Index kSamplesPerGroup = 1024;  // more than pays for adding the group's sum
    groups_ = std::clamp<Index>((kTasks + tasks - 1) / tasks, 1,
                                std::max<Index>(1, samples / kSamplesPerGroup));
    rows_ = rows;
    if (sums_.rows() != groups_ * rows || sums_.cols() != cols) {
      sums_ = Matrix<Scalar>(groups_ * rows, cols);
    } else {
      sums_.set_zero();
    }
  }

  /// Divides the samples of a block into as many parts as there are groups, or fewer: part g
  /// belongs to sum g.
  [[nodiscard]] Partition parts(Index samples) const {
    constexpr Index kFewest = 64;  // products over fewer are slow
    return {samples, std::max(kFewest, (samples + groups_ - 1) / groups_)};
  }

  [[nodiscard]] MatrixView<Scalar> sum(Index group) {
    return MatrixView<Scalar>(sums_).rows_between(group * rows_, (group + 1) * rows_);
  }

  /// The sum over the groups, stored in the first.
  MatrixView<Scalar> total(const Context& context) {
    constexpr Index kRowsAtATime = 32;
    const Partition tiles(rows_, kRowsAtATime);
    parallel_for(context, tiles.count(), work_of(sums_.size(), kPerValue), [&](Index t) {
      const Range tile = tiles[t];
      add_in_tree_order(groups_, [&](Index to, Index from) {
        sum(to).rows_between(tile.begin, tile.end) += sum(from).rows_between(tile.begin, tile.end);
      });
    });
    return sum(0);
  }

 private:
  Index groups_ = 1;
  Index rows_ = 0;
  Matrix<Scalar> sums_;
};

/// Σ AᵀB over blocks of samples: A has a column per atom.
template <class Scalar>
class AtomProducts {
 public:
  void start(Index atoms, Index cols, Index samples) {
    sums_.start(atoms, cols, samples, atom_tiles(atoms).count());
  }

  void add(const Context& context, ConstMatrixView<Scalar> A, ConstMatrixView<Scalar> B) {
    const Partition tiles = atom_tiles(A.cols());
    const Partition parts = sums_.parts(A.rows());
    parallel_for(context, parts.count() * tiles.count(), work_of(A.size(), B.cols()),
                 [&](Index task) {
                   const Index group = task / tiles.count();
                   const Range rows = parts[group];
                   const Range tile = tiles[task % tiles.count()];
                   blas::gemm<Scalar>(blas::Op::kTransposed, blas::Op::kPlain, Scalar(1),
                                      columns_of(A.rows_between(rows.begin, rows.end), tile),
                                      B.rows_between(rows.begin, rows.end), Scalar(1),
                                      sums_.sum(group).rows_between(tile.begin, tile.end));
                 });
  }

  MatrixView<Scalar> total(const Context& context) { return sums_.total(context); }

 private:
  GroupSums<Scalar> sums_;
};

}  // namespace krica
