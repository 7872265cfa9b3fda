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
// any way, and ranks (in contexts that share rows) own whole groups across all blocks: every rank
// has all samples, but encodes only those of its groups.
#pragma once

#include <algorithm>
#include <vector>

#include "objectives/samples.hpp"
#include "runtime/blas.hpp"
#include "runtime/columns.hpp"
#include "runtime/scattered_sum.hpp"

namespace krica {

/// The groups of an evaluation.
class SampleGroups {
 public:
  /// For samples that come in blocks of at most block_rows.
  SampleGroups(Index samples, Index block_rows, Index atoms) {
    constexpr Index kTasks = 32;             // enough for threads to share evenly
    constexpr Index kFewestGroups = 4;       // for ranks, whose memory for sums this limits
    constexpr Index kSamplesPerGroup = 256;  // a block's; fewer would not pay for adding the sum
    const Index tiles = atom_tiles(atoms).count();
    count_ = std::clamp<Index>(std::min(samples, block_rows) / kSamplesPerGroup, 1,
                               std::max(kFewestGroups, (kTasks + tiles - 1) / tiles));
  }

  [[nodiscard]] Index count() const { return count_; }
  /// Those of this rank.
  [[nodiscard]] Range own(const Context& context) const { return own_share(context, count_); }

  /// Divides the samples of a block into as many parts as there are groups, or fewer: part g
  /// belongs to group g.
  [[nodiscard]] Partition parts(Index samples) const {
    constexpr Index kFewest = 64;  // products over fewer are slow
    return {samples, std::max(kFewest, (samples + count_ - 1) / count_)};
  }
  /// The parts of this rank.
  [[nodiscard]] Range own_parts(const Context& context, const Partition& parts) const {
    const Range groups = own(context);
    return {std::min(groups.begin, parts.count()), std::min(groups.end, parts.count())};
  }

 private:
  Index count_;
};

/// Calls encode(rows) for tiles of the block's samples that belong to this rank, in parallel, and
/// adds the numbers that it returns to the groups' values. Over the last quarter tiles have half
/// the size: threads that finish early find small ones to do instead of waiting for others that
/// have just started a large one.
class GroupValues {
 public:
  explicit GroupValues(const SampleGroups& groups)
      : groups_(groups), values_(static_cast<std::size_t>(groups.count())) {}

  template <class Encode>
  void add_block(const Context& context, Index samples, Work work, Encode encode) {
    struct Tile {
      std::size_t group;
      Range rows;
      double value = 0;
    };
    std::vector<Tile> tiles;
    const Partition parts = groups_.parts(samples);
    const Range own = groups_.own_parts(context, parts);
    for (Index part = own.begin; part < own.end; ++part) {
      const bool late = part >= parts.count() * 3 / 4 && parts.count() > 1;
      const Partition of_part(parts[part].size(), late ? kTileRows / 2 : kTileRows);
      for (Index t = 0; t < of_part.count(); ++t) {
        tiles.push_back(
            {static_cast<std::size_t>(part),
             {parts[part].begin + of_part[t].begin, parts[part].begin + of_part[t].end}});
      }
    }
    parallel_for(context, std::ssize(tiles), work, [&](Index t) {
      Tile& tile = tiles[static_cast<std::size_t>(t)];
      tile.value = encode(tile.rows);
    });
    for (const Tile& tile : tiles) values_[tile.group].push_back(tile.value);
  }

  /// Their sum, on every rank.
  [[nodiscard]] double total(const Context& context) const {
    std::vector<double> sums;
    sums.reserve(values_.size());
    for (const std::vector<double>& of_group : values_) sums.push_back(tree_sum(of_group));
    gather_parts(context, sums.data(), Partition(groups_.count(), 1));
    return tree_sum(std::move(sums));
  }

 private:
  SampleGroups groups_;
  std::vector<std::vector<double>> values_;  // of the tiles, by group
};

/// One sum of rows × cols per group of this rank.
template <class Scalar>
class GroupSums {
 public:
  /// Zeros; memory for one sum at least.
  void start(Index rows, Index cols, Index groups, Range own) {
    groups_ = groups;
    own_ = own;
    rows_ = rows;
    const Index held = std::max<Index>(1, own.size());
    if (sums_.rows() != held * rows || sums_.cols() != cols) {
      sums_ = Matrix<Scalar>(held * rows, cols);
    } else {
      sums_.set_zero();
    }
  }

  [[nodiscard]] MatrixView<Scalar> sum(Index group) {
    const Index place = group - own_.begin;
    return MatrixView<Scalar>(sums_).rows_between(place * rows_, (place + 1) * rows_);
  }
  /// The memory of the first sum.
  [[nodiscard]] MatrixView<Scalar> first() {
    return MatrixView<Scalar>(sums_).rows_between(0, rows_);
  }

  /// Makes these additions of groups' sums: to, from.
  void add(const Context& context, const std::vector<std::pair<Index, Index>>& additions) {
    constexpr Index kRowsAtATime = 32;
    if (additions.empty()) return;
    const Partition tiles(rows_, kRowsAtATime);
    parallel_for(context, tiles.count(), work_of(sums_.size(), kPerValue), [&](Index t) {
      const Range tile = tiles[t];
      for (const auto& [to, from] : additions)
        sum(to).rows_between(tile.begin, tile.end) += sum(from).rows_between(tile.begin, tile.end);
    });
  }

  /// The sum over the groups, on every rank; stored in the first.
  MatrixView<Scalar> total(const Context& context) {
    if (!context.shares_rows()) {
      add(context, RankTree(groups_, 0, 1).own);
      return first();
    }
    const int ranks = context.ranks()->size();
    const RankTree tree(groups_, context.ranks()->rank(), ranks);
    add(context, tree.own);
    const auto rows_of = [&](int rank) { return share_of(rows_, rank, ranks); };
    const Index cols = sums_.cols();
    const Slice<Scalar> total = scattered_.add(
        context, groups_, tree,
        [&](int rank) {
          return SliceSize{.values = static_cast<std::size_t>(rows_of(rank).size() * cols)};
        },
        [&](Index group, int rank, const Slice<Scalar>& to) {
          std::copy_n(sum(group).data() + rows_of(rank).begin * cols, to.values.size(),
                      to.values.data());
        });
    std::copy(total.values.begin(), total.values.end(),
              first().data() + rows_of(context.ranks()->rank()).begin * cols);
    gather_all_rows<Scalar>(context, first());
    return first();
  }

 private:
  Index groups_ = 1;
  Range own_;
  Index rows_ = 0;
  Matrix<Scalar> sums_;
  ScatteredSum<Scalar> scattered_;
};

/// Σ AᵀB over blocks of samples: A has a column per atom. Of contexts that share rows, A needs only
/// the rows of the rank's groups.
template <class Scalar>
class AtomProducts {
 public:
  void start(const Context& context, Index atoms, Index cols, const SampleGroups& groups) {
    groups_ = groups;
    sums_.start(atoms, cols, groups.count(), groups.own(context));
  }

  void add(const Context& context, ConstMatrixView<Scalar> A, ConstMatrixView<Scalar> B) {
    const Partition tiles = atom_tiles(A.cols());
    const Partition parts = groups_.parts(A.rows());
    const Range own = groups_.own_parts(context, parts);
    parallel_for(context, own.size() * tiles.count(), work_of(A.size(), B.cols()), [&](Index task) {
      const Index group = own.begin + task / tiles.count();
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
  SampleGroups groups_{1, 1, 1};
  GroupSums<Scalar> sums_;
};

}  // namespace krica
