// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <utility>

#include "runtime/ordered_reduce.hpp"

namespace krica {

/// ordered_reduce() with one part after another on the calling thread, for parts that a device
/// computes.
template <class Sum, class Make, class Accumulate>
Sum reduce_in_turn(const Context& context, Index parts, Make make, Accumulate accumulate) {
  if (parts == 0) return make();
  const Range own = own_share(context, parts);
  TreeSum<Sum> tree(parts, own);
  agree(context, [&] {
    for (Index part = own.begin; part < own.end; ++part) {
      std::optional<Sum> sum = tree.spare();
      if (sum) {
        set_zero(*sum);
      } else {
        sum.emplace(make());
      }
      accumulate(part, *sum);
      tree.put(part, std::move(*sum));
    }
  });
  if (!context.shares_rows()) return tree.take();
  return add_over_ranks<Sum>(context, parts, tree, make());
}

}  // namespace krica
