// SPDX-License-Identifier: BSD-3-Clause
//
// Assignments of samples that are divided among ranks (runtime/ranks.hpp): computed in tiles, and
// summed in longer parts, for which a rank needs those of some samples that follow its own.
#pragma once

#include <algorithm>
#include <vector>

#include "runtime/check.hpp"
#include "runtime/ranks.hpp"

namespace krica::lloyd {

/// Samples in a part of assigned_sums().
inline Index summed_rows(Index K) { return std::max<Index>(1024, 8 * K); }

/// Of m samples, parts of at most this many can be divided among ranks: each holds so many more.
inline Index longest_part(Index m) { return std::max<Index>(2048, m / 16); }

/// Whether m samples can be divided among ranks for K clusters.
inline bool divides(Index m, Index K) { return summed_rows(K) <= longest_part(m); }

inline void require_short_parts(const Context& context, Index m, Index K) {
  require(!context.shares_rows() || divides(m, K), "kmeans",
          "{} samples are too few for {} clusters to be divided among ranks", m, K);
}

/// Values computed in tiles, of the samples that the rank holds.
template <class Value>
void fetch_held(const Context& context, std::vector<Value>& values, const Partition& tiles) {
  if (!context.shares_rows()) return;
  const Index m = tiles.total();
  const int ranks = context.ranks()->size();
  fetch_held_rows(context, values.data(), sizeof(Value), {m, halo_of(m, longest_part(m) + 1)},
                  [&](int rank) { return rows_of_share(tiles, rank, ranks); });
}

}  // namespace krica::lloyd
