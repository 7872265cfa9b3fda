// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/ordered_reduce.hpp"

namespace krica {

double tree_sum(std::vector<double> parts) {
  if (parts.empty()) return 0;
  add_in_tree_order(std::ssize(parts), [&](Index to, Index from) {
    parts[static_cast<std::size_t>(to)] += parts[static_cast<std::size_t>(from)];
  });
  return parts.front();
}

double ordered_reduce(const Context& context, Index parts, Work work,
                      const std::function<double(Index)>& body) {
  std::vector<double> sums(static_cast<std::size_t>(parts));
  const Range own = own_share(context, parts);
  agree(context, [&] {
    parallel_for(context, own.size(), work, [&](Index place) {
      sums[static_cast<std::size_t>(own.begin + place)] = body(own.begin + place);
    });
  });
  gather_parts(context, sums.data(), Partition(parts, 1));
  return tree_sum(std::move(sums));
}

}  // namespace krica
