// SPDX-License-Identifier: BSD-3-Clause
//
// An evaluation on all samples as a sum over groups of consecutive ones, each computed whole on one
// GPU (device/device_groups.hpp). The sums are added in a tree, so that the bits do not depend on
// how many ranks share the groups.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "objectives/group_sums.hpp"
#include "runtime/sharing.hpp"

namespace krica {

/// The value; gradient and curvature, on every rank, unless null and empty. evaluate_part(range,
/// gradient, curvature) computes one group's, contiguous or null. An error on one rank is thrown on
/// all. `sums` is memory that is kept for the next evaluation.
template <class EvaluatePart>
double evaluate_in_groups(const Context& given, const Partition& groups, GroupSums<float>& sums,
                          MatrixView<float>* gradient, std::span<double> curvature,
                          EvaluatePart evaluate_part) {
  const Context context = dividing(given);
  const Range own = own_share(context, groups.count());
  const Index K = gradient != nullptr ? gradient->rows() : 0;
  const Index n = gradient != nullptr ? gradient->cols() : 1;
  const Index behind = (std::ssize(curvature) + n - 1) / n;  // rows that hold the curvature
  std::vector<double> values(static_cast<std::size_t>(groups.count()));
  agree(context, [&] {
    if (gradient != nullptr) sums.start(K + behind, n, groups.count(), own);
    for (Index group = own.begin; group < own.end; ++group) {
      float* const to = gradient != nullptr ? sums.sum(group).data() : nullptr;
      values[static_cast<std::size_t>(group)] =
          evaluate_part(groups[group], to, behind > 0 ? to + K * n : nullptr);
    }
  });
  gather_parts(context, values.data(), Partition(groups.count(), 1));
  if (gradient != nullptr) {
    const MatrixView<float> total = sums.total(context);
    *gradient = total.rows_between(0, K);
    std::copy_n(total.data() + K * n, curvature.size(), curvature.begin());
  }
  return tree_sum(std::move(values));
}

}  // namespace krica
