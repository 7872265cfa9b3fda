// SPDX-License-Identifier: BSD-3-Clause
//
// Sums over samples whose bits do not depend on who computes them: the samples are divided into
// parts by size alone, and the sums of the parts are added in a fixed binary tree. On each level
// nodes 2i and 2i+1 are added, and an odd last one is carried up, so that the owner of an aligned
// run of parts, a thread or a machine, adds a whole subtree.
//
// In a context that shares rows (runtime/ranks.hpp), a rank computes its share of the parts and
// adds the subtrees that lie within it; the others are added by the rank that has their first part,
// to which the rest is sent; every rank gets the sum. Errors of a part are thrown on every rank.
#pragma once

#include <algorithm>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/large_matrix.hpp"
#include "runtime/parallel.hpp"
#include "runtime/ranks.hpp"

namespace krica {

/// The order itself: calls add(to, from) so that part 0 ends up with the sum.
template <class Add>
void add_in_tree_order(Index parts, Add add) {
  for (Index width = 1; width < parts; width *= 2) {
    for (Index left = 0; left + width < parts; left += 2 * width) add(left, left + width);
  }
}

/// The sum of the parts; 0 for none.
double tree_sum(std::vector<double> parts);

/// The sum of body(0) ... body(parts - 1), computed in parallel; throws like parallel_for.
double ordered_reduce(const Context& context, Index parts, Work work,
                      const std::function<double(Index)>& body);
inline double ordered_reduce(const Context& context, Index parts,
                             const std::function<double(Index)>& body) {
  return ordered_reduce(context, parts, Work{}, body);
}

/// At most 64 parts, enough for threads to share evenly; fewer if a part would have less than
/// `fewest` samples and adding its sum would not pay.
inline Partition sum_parts(Index samples, Index fewest) {
  constexpr Index kMostParts = 64;
  return {samples, std::max(fewest, (samples + kMostParts - 1) / kMostParts)};
}

/// Calls body(tile) for each tile of at most `largest` samples, in order.
template <class Body>
void for_tiles(Range part, Index largest, Body body) {
  const Partition tiles(part.size(), largest);
  for (Index t = 0; t < tiles.count(); ++t) {
    body(Range{part.begin + tiles[t].begin, part.begin + tiles[t].end});
    release_pages_when_due();
  }
}

// A sum is a number, a vector, a type with += and set_zero(), or a struct of such sums listed by
// its members().
template <class Number>
void add_to(std::vector<Number>& sums, const std::vector<Number>& more) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
}
template <class Sum>
void add_to(Sum& sum, const Sum& more) {
  if constexpr (requires { Sum::members(sum); }) {
    const auto add_all = [&](auto&... to) {
      std::apply([&](const auto&... from) { (add_to(to, from), ...); }, Sum::members(more));
    };
    std::apply(add_all, Sum::members(sum));
  } else {
    sum += more;
  }
}

template <class Number>
void set_zero(std::vector<Number>& sums) {
  std::fill(sums.begin(), sums.end(), Number(0));
}
template <class Sum>
void set_zero(Sum& sum) {
  if constexpr (requires { Sum::members(sum); }) {
    std::apply([](auto&... each) { (set_zero(each), ...); }, Sum::members(sum));
  } else if constexpr (requires { sum.set_zero(); }) {
    sum.set_zero();
  } else {
    sum = 0;
  }
}

/// Calls visit(memory, bytes) for each piece of memory that a sum consists of. Sums other than
/// numbers, vectors, matrices and their structs have a member for_each_buffer(visit).
template <class Sum, class Visit>
void for_each_buffer(Sum& sum, Visit visit) {
  if constexpr (requires { Sum::members(sum); }) {
    std::apply([&](auto&... each) { (for_each_buffer(each, visit), ...); }, Sum::members(sum));
  } else if constexpr (requires { sum.for_each_buffer(visit); }) {
    sum.for_each_buffer(visit);
  } else if constexpr (requires { sum.data(); }) {
    visit(sum.data(), sizeof(*sum.data()) * static_cast<std::size_t>(sum.size()));
  } else {
    static_assert(std::is_arithmetic_v<Sum>, "a sum that cannot be sent to another rank");
    visit(&sum, sizeof(sum));
  }
}

/// The sums of parts that finish in any order; whichever of two siblings finishes second adds them.
/// Holds about as many sums as there are active threads and levels of the tree. Of a run of parts,
/// only subtrees within it are added.
template <class Sum>
class TreeSum {
 public:
  explicit TreeSum(Index parts) : TreeSum(parts, {0, parts}) {}
  TreeSum(Index parts, Range run)
      : parts_(parts), run_(run), waiting_(static_cast<std::size_t>(parts)) {}

  /// The memory of a sum that is no longer needed, if any.
  std::optional<Sum> spare() {
    const std::lock_guard lock(mutex_);
    if (spares_.empty()) return std::nullopt;
    std::optional<Sum> sum(std::move(spares_.back()));
    spares_.pop_back();
    return sum;
  }

  void put(Index part, Sum sum) {
    for (Index width = 1; width < parts_; width *= 2) {
      const bool is_left = part / width % 2 == 0;
      const Index right = is_left ? part + width : part;
      if (right >= parts_) continue;  // carried up
      if (!adds(right - width, width)) break;
      std::optional<Sum> sibling = meet(right, sum);
      if (!sibling) return;
      if (!is_left) std::swap(sum, *sibling);
      part = right - width;
      add_to(sum, *sibling);
      const std::lock_guard lock(mutex_);
      spares_.push_back(std::move(*sibling));
    }
    const std::lock_guard lock(mutex_);
    waiting_[static_cast<std::size_t>(part)] = std::move(sum);
  }

  /// Whether the siblings `left` and left + width are added here: all their parts are in the run.
  [[nodiscard]] bool adds(Index left, Index width) const {
    return left >= run_.begin && std::min(left + 2 * width, parts_) <= run_.end;
  }

  /// Call after every part of the run has been put: the sum of the largest subtree in the run that
  /// begins with this part.
  Sum& at(Index first) { return *waiting_[static_cast<std::size_t>(first)]; }
  /// The sum of all parts.
  Sum take() { return std::move(at(0)); }

 private:
  /// The sibling's sum; if it is not there yet, `sum` is left for it. The first part of the right
  /// sibling identifies a pair.
  std::optional<Sum> meet(Index right, Sum& sum) {
    const std::lock_guard lock(mutex_);
    std::optional<Sum>& place = waiting_[static_cast<std::size_t>(right)];
    if (place) return std::exchange(place, std::nullopt);
    place = std::move(sum);
    return std::nullopt;
  }

  Index parts_;
  Range run_;
  std::mutex mutex_;
  std::vector<std::optional<Sum>> waiting_;
  std::vector<Sum> spares_;
};

/// Adds the sums of the ranks' runs of parts; every rank gets the total. `received` is memory for
/// one sum.
template <class Sum>
Sum add_over_ranks(const Context& context, Index parts, TreeSum<Sum>& tree, Sum received) {
  Communicator& ranks = *context.ranks();
  const auto owner = [&](Index part) { return owner_of(part, parts, ranks.size()); };
  const auto is_within_a_rank = [&](Index left, Index width) {
    return owner(left) == owner(std::min(left + 2 * width, parts) - 1);
  };
  for (Index width = 1; width < parts; width *= 2) {
    for (Index left = 0; left + width < parts; left += 2 * width) {
      if (is_within_a_rank(left, width)) continue;
      const int to = owner(left);
      const int from = owner(left + width);
      if (from == ranks.rank() && from != to) {
        for_each_buffer(tree.at(left + width),
                        [&](const void* data, std::size_t bytes) { ranks.send(to, data, bytes); });
      }
      if (to != ranks.rank()) continue;
      if (from == to) {
        add_to(tree.at(left), tree.at(left + width));
        continue;
      }
      for_each_buffer(received,
                      [&](void* data, std::size_t bytes) { ranks.receive(from, data, bytes); });
      add_to(tree.at(left), received);
    }
  }
  if (ranks.rank() == 0) received = tree.take();
  for_each_buffer(received,
                  [&](void* data, std::size_t bytes) { ranks.broadcast(0, data, bytes); });
  return received;
}

/// The same for sums other than numbers: accumulate(part, sum) adds one part to a zero sum from
/// make(). Never returns a partial sum: throws like parallel_for.
template <class Sum, class Make, class Accumulate>
Sum ordered_reduce(const Context& context, Index parts, Work work, Make make,
                   Accumulate accumulate) {
  if (parts == 0) return make();
  const Range own = own_share(context, parts);
  TreeSum<Sum> tree(parts, own);
  agree(context, [&] {
    parallel_for(context, own.size(), work, [&](Index place) {
      const Index part = own.begin + place;
      std::optional<Sum> sum = tree.spare();
      if (sum) {
        set_zero(*sum);
      } else {
        sum.emplace(make());
      }
      accumulate(part, *sum);
      tree.put(part, std::move(*sum));
    });
  });
  if (!context.shares_rows()) return tree.take();
  return add_over_ranks<Sum>(context, parts, tree, make());
}

}  // namespace krica
