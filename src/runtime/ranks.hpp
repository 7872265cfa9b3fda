// SPDX-License-Identifier: BSD-3-Clause
//
// Rows divided among ranks, for contexts that shares_rows(). A matrix keeps its full number of rows
// on every rank, in memory that costs nothing until it is used; a rank fills only the rows that it
// holds. Loops divide their parts among the ranks as if these were the rows:
//
//   parts ceil(P r / N) to ceil(P (r+1) / N) - 1 of P belong to rank r of N
//
// Parts of different loops end at different rows, so a rank holds, besides its share of the rows,
// `halo` rows that follow. A part begins at most P/4 rows after an even division would let it begin
// (Partition puts the longer parts first), so a loop with parts of at most L rows needs
// halo >= L + P/4 + 1.
//
// Without shared rows everything here means all rows, and nothing travels.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "krica/runtime/context.hpp"
#include "runtime/communicator.hpp"
#include "runtime/large_matrix.hpp"
#include "runtime/parallel.hpp"

namespace krica {

/// Rank r's share of `count` parts.
inline Range share_of(Index count, int rank, int ranks) {
  const auto begin = [&](int r) { return (count * r + ranks - 1) / ranks; };
  return {begin(rank), begin(rank + 1)};
}
/// The rank in whose share a part is.
inline int owner_of(Index part, Index count, int ranks) {
  return static_cast<int>(part * ranks / count);
}
/// This rank's share.
KRICA_EXPORT Range own_share(const Context& context, Index count);

/// The halo that loops with parts of at most `largest` of these rows need, and at least 64 each.
inline Index halo_of(Index rows, Index largest) { return largest + rows / 256 + 64; }

/// The rows that a rank holds of a matrix.
struct HeldRows {
  Index rows = 0;
  Index halo = 0;

  [[nodiscard]] Range of(int rank, int ranks) const {
    const Range share = share_of(rows, rank, ranks);
    return {std::max<Index>(0, share.begin - 1), std::min(rows, share.end + halo)};
  }
  [[nodiscard]] Range of(const Context& context) const;
};

/// For features of `rows` samples: enough for sums in up to 64 parts (sum_parts).
inline HeldRows held_features(Index rows) {
  return {rows, halo_of(rows, std::max<Index>(256, (rows + 63) / 64 + 1))};
}

/// Runs the body. If it throws on any rank, all ranks throw what it threw on the first of these,
/// Cancelled only if it threw nothing else; ranks also agree on whether to stop.
KRICA_EXPORT void agree(const Context& context, const std::function<void()>& body);

/// Inside agree(), in work that ranks do without waiting for each other: throws Cancelled if this
/// rank was asked to stop.
KRICA_EXPORT void stop_if_wanted(const Context& context);

/// Whether this process is alone or the first of the ranks: the one that writes files.
inline bool is_first(const Context& context) {
  return context.ranks() == nullptr || context.ranks()->rank() == 0;
}

/// All ranks, whether they share rows or not: runs the body on the first; if it throws, all do.
void on_first_rank(const Context& context, const std::function<void()>& body);

/// Fetches the rows that this rank holds from those that computed them. Rows are row_bytes long;
/// rank r computed rows computed(r).
void fetch_held_rows(const Context& context, void* matrix, std::size_t row_bytes,
                     const HeldRows& held, const std::function<Range(int)>& computed);

/// Completes an array of which each rank has computed the values computed(r), in the order of the
/// ranks and without gaps.
void gather_computed(const Context& context, void* values, std::size_t value_bytes,
                     const std::function<Range(int)>& computed);
/// The rows of the parts that a rank has of a loop.
inline Range rows_of_share(const Partition& parts, int rank, int ranks) {
  const Range own = share_of(parts.count(), rank, ranks);
  const auto row = [&](Index part) {
    return part < parts.count() ? parts[part].begin : parts.total();
  };
  return {row(own.begin), row(own.end)};
}

/// The same for values computed in the parts of a loop.
template <class Value>
void gather_parts(const Context& context, Value* values, const Partition& parts) {
  if (!context.shares_rows()) return;
  const int ranks = context.ranks()->size();
  gather_computed(context, values, sizeof(Value),
                  [&](int rank) { return rows_of_share(parts, rank, ranks); });
}

/// The same for the rows of a matrix.
template <class Scalar>
void gather_part_rows(const Context& context, MatrixView<Scalar> X, const Partition& parts) {
  if (!context.shares_rows()) return;
  const int ranks = context.ranks()->size();
  gather_computed(context, X.data(), sizeof(Scalar) * static_cast<std::size_t>(X.outerStride()),
                  [&](int rank) { return rows_of_share(parts, rank, ranks); });
}

/// Copies of some rows in ascending order, on every rank, one after another in `copies`.
template <class Scalar>
void gather_ascending_rows(const Context& context, const ConstMatrixView<Scalar>& X,
                           std::span<const Index> rows, Scalar* copies) {
  const int ranks = context.shares_rows() ? context.ranks()->size() : 1;
  const int own = context.shares_rows() ? context.ranks()->rank() : 0;
  const auto row_bytes = sizeof(Scalar) * static_cast<std::size_t>(X.cols());
  std::vector<std::size_t> sizes(static_cast<std::size_t>(ranks), 0);
  for (const Index row : rows) {
    const int owner = owner_of(row, X.rows(), ranks);
    sizes[static_cast<std::size_t>(owner)] += row_bytes;
    if (owner == own) std::copy_n(X.data() + row * X.outerStride(), X.cols(), copies);
    copies += X.cols();
  }
  if (ranks > 1) context.ranks()->all_gather(copies - std::ssize(rows) * X.cols(), sizes);
}

/// Copies of some rows in any order, on every rank.
template <class Scalar>
Matrix<Scalar> gather_rows(const Context& context, const ConstMatrixView<Scalar>& X,
                           std::span<const Index> rows) {
  if (!context.shares_rows()) return rows_at<Scalar>(X, rows);
  std::vector<Index> places(rows.size());  // in ascending order of their rows
  std::iota(places.begin(), places.end(), Index{0});
  const auto row_at = [&](Index place) { return rows[static_cast<std::size_t>(place)]; };
  std::ranges::stable_sort(places, {}, row_at);
  std::vector<Index> ascending(rows.size());
  std::ranges::transform(places, ascending.begin(), row_at);
  Matrix<Scalar> copies(std::ssize(rows), X.cols());
  gather_ascending_rows<Scalar>(context, X, ascending, copies.data());
  if (std::ranges::is_sorted(rows)) return copies;
  Matrix<Scalar> chosen(std::ssize(rows), X.cols());
  for (std::size_t i = 0; i < places.size(); ++i)
    chosen.view().row(places[i]) = copies.view().row(static_cast<Index>(i));
  return chosen;
}

/// Gives every rank a part of a matrix that one of them has computed.
template <class Scalar>
void broadcast_part(const Context& context, int owner, MatrixView<Scalar> part) {
  Matrix<Scalar> copy = Matrix<Scalar>::copy_of(part);
  context.ranks()->broadcast(owner, copy.data(),
                             sizeof(Scalar) * static_cast<std::size_t>(copy.size()));
  part = copy.view();
}

/// Items that ranks take in turn.
class DealtItems {
 public:
  explicit DealtItems(const Context& context)
      : ranks_(context.shares_rows() ? context.ranks()->size() : 1),
        rank_(context.shares_rows() ? context.ranks()->rank() : 0) {}

  [[nodiscard]] int owner(Index item) const { return static_cast<int>(item % ranks_); }
  [[nodiscard]] bool is_own(Index item) const { return owner(item) == rank_; }

 private:
  int ranks_;
  int rank_;
};

/// Completes a matrix of which each rank has its share of the rows: every rank then has all.
template <class Scalar>
void gather_all_rows(const Context& context, MatrixView<Scalar> X) {
  if (!context.shares_rows()) return;
  const int ranks = context.ranks()->size();
  gather_computed(context, X.data(), sizeof(Scalar) * static_cast<std::size_t>(X.outerStride()),
                  [&](int rank) { return share_of(X.rows(), rank, ranks); });
}

}  // namespace krica
