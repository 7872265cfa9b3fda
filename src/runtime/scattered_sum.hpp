// SPDX-License-Identifier: BSD-3-Clause
//
// Sums that are too large to send to every rank: each rank gets a slice of the total. The additions
// are those of runtime/ordered_reduce.hpp. A rank first adds the sums that lie within its run of
// parts; what is left travels slice by slice to the slices' ranks, which add it:
//
//   bytes = (sums left over all ranks) · (bytes of a sum) · (N - 1)/N
//
// and there are N sums left if N is a power of two and at most the number of parts.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "runtime/ordered_reduce.hpp"

namespace krica {

/// The additions of a tree, by where they are done.
struct RankTree {
  std::vector<std::pair<Index, Index>> own;     ///< to, from: within this rank's run of parts
  std::vector<std::pair<Index, Index>> across;  ///< then, by the owner of the slice
  std::vector<Index> left;  ///< the parts that hold sums after the former, of all ranks; ascending

  RankTree(Index parts, int rank, int ranks);
};

/// The most sums whose memory a rank holds at once: those of its parts, at least one, their copies
/// in slices, and the slices, at most `slice` of a sum, that it receives.
double sums_held(Index parts, int ranks, double slice);

/// A slice of a sum: numbers of both kinds, as many as the rank's SliceSize says.
struct SliceSize {
  std::size_t doubles = 0;
  std::size_t values = 0;
};
template <class Scalar>
struct Slice {
  std::span<double> doubles;
  std::span<Scalar> values;

  /// Bytes of memory, of which a multiple of eight keeps the next slice aligned.
  static std::size_t bytes(SliceSize size) {
    return (size.doubles * sizeof(double) + size.values * sizeof(Scalar) + 7) / 8 * 8;
  }
  Slice() = default;
  Slice(std::byte* memory, SliceSize size)
      : doubles(reinterpret_cast<double*>(memory), size.doubles),
        values(reinterpret_cast<Scalar*>(memory + doubles.size_bytes()), size.values) {}
};

/// The totals of the ranks' slices, each on its rank. Its memory is kept for the next sum.
template <class Scalar>
class ScatteredSum {
 public:
  /// All ranks: this rank's total, valid until the next call. `size(rank)` is that of a rank's
  /// slice. `cut(part, rank, slice)` fills that rank's slice of the sum in a part that this rank
  /// has, after the additions tree.own, which the caller has made.
  template <class Size, class Cut>
  Slice<Scalar> add(const Context& context, Index parts, const RankTree& tree, Size size, Cut cut) {
    Communicator& ranks = *context.ranks();
    const auto owner = [&](Index part) { return owner_of(part, parts, ranks.size()); };
    const SliceSize own = size(ranks.rank());
    reserve(ranks, tree, owner, size);
    parallel_for(context, ranks.size(), [&](Index to) {
      const auto rank = static_cast<int>(to);
      const SliceSize its = size(rank);
      std::byte* memory = (rank == ranks.rank() ? kept_ : outgoing_[at(rank)]).data();
      for (const Index part : tree.left) {
        if (owner(part) != ranks.rank()) continue;
        cut(part, rank, Slice<Scalar>(memory, its));
        memory += Slice<Scalar>::bytes(its);
      }
    });
    ranks.exchange(outgoing_, incoming_);
    return added(context, parts, tree, own, owner, ranks.rank());
  }

 private:
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

  /// Memory for what this rank sends, keeps and receives.
  template <class Owner, class Size>
  void reserve(const Communicator& ranks, const RankTree& tree, Owner owner, Size size) {
    std::vector<std::size_t> held(at(ranks.size()), 0);  // sums that the ranks have
    for (const Index part : tree.left) ++held[at(owner(part))];
    const std::size_t own_bytes = Slice<Scalar>::bytes(size(ranks.rank()));
    outgoing_.resize(held.size());
    incoming_.resize(held.size());
    kept_.resize(held[at(ranks.rank())] * own_bytes);
    for (int rank = 0; rank < ranks.size(); ++rank) {
      if (rank == ranks.rank()) continue;
      outgoing_[at(rank)].resize(held[at(ranks.rank())] * Slice<Scalar>::bytes(size(rank)));
      incoming_[at(rank)].resize(held[at(rank)] * own_bytes);
    }
  }

  template <class Owner>
  Slice<Scalar> added(const Context& context, Index parts, const RankTree& tree, SliceSize own,
                      Owner owner, int rank) {
    std::vector<Slice<Scalar>> sums(static_cast<std::size_t>(parts));
    std::vector<std::size_t> used(incoming_.size(), 0);  // bytes
    for (const Index part : tree.left) {
      const std::size_t from = at(owner(part));
      std::byte* memory = (owner(part) == rank ? kept_ : incoming_[from]).data();
      sums[static_cast<std::size_t>(part)] = {memory + used[from], own};
      used[from] += Slice<Scalar>::bytes(own);
    }
    constexpr Index kAtATime = 1 << 15;
    const Partition tiles(static_cast<Index>(own.values), kAtATime);
    const Work work = work_of(own.values, tree.across.size(), kPerValue);
    parallel_for(context, tiles.count(), work, [&](Index t) {
      for (const auto& [to, from] : tree.across) {
        Scalar* const sum = sums[static_cast<std::size_t>(to)].values.data();
        const Scalar* const more = sums[static_cast<std::size_t>(from)].values.data();
        for (Index i = tiles[t].begin; i < tiles[t].end; ++i) sum[i] += more[i];
      }
    });
    for (const auto& [to, from] : tree.across) {
      for (std::size_t i = 0; i < own.doubles; ++i) {
        sums[static_cast<std::size_t>(to)].doubles[i] +=
            sums[static_cast<std::size_t>(from)].doubles[i];
      }
    }
    return sums.front();
  }

  std::vector<Communicator::Bytes> outgoing_;
  std::vector<Communicator::Bytes> incoming_;
  Communicator::Bytes kept_;  // this rank's slices of its own sums
};

}  // namespace krica
