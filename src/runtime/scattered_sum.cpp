// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/scattered_sum.hpp"

namespace krica {

RankTree::RankTree(Index parts, int rank, int ranks) {
  std::vector<bool> holds_sum(static_cast<std::size_t>(parts), true);
  for (Index width = 1; width < parts; width *= 2) {
    for (Index first = 0; first + width < parts; first += 2 * width) {
      const Index second = first + width;
      const int owner = owner_of(first, parts, ranks);
      if (owner_of(std::min(first + 2 * width, parts) - 1, parts, ranks) != owner) {
        across.emplace_back(first, second);
        continue;
      }
      holds_sum[static_cast<std::size_t>(second)] = false;
      if (owner == rank) own.emplace_back(first, second);
    }
  }
  for (Index part = 0; part < parts; ++part) {
    if (holds_sum[static_cast<std::size_t>(part)]) left.push_back(part);
  }
}

double sums_held(Index parts, int ranks, double slice) {
  if (ranks == 1) return static_cast<double>(parts);
  const std::vector<Index> left = RankTree(parts, 0, ranks).left;
  double most = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const Index own = std::max<Index>(1, share_of(parts, rank, ranks).size());
    const auto sent = std::count_if(
        left.begin(), left.end(), [&](Index part) { return owner_of(part, parts, ranks) == rank; });
    const double received = slice * static_cast<double>(std::ssize(left) - sent);
    most = std::max(most, static_cast<double>(own + sent) + received);
  }
  return most;
}

}  // namespace krica
