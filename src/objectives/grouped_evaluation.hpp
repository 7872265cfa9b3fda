// SPDX-License-Identifier: BSD-3-Clause
//
// An evaluation on all samples as a sum over groups of consecutive ones, each computed whole on one
// GPU. Their number depends only on the sizes, and the sums are added in a tree, so that the bits
// do not depend on how many ranks share the groups.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "objectives/group_sums.hpp"
#include "runtime/sharing.hpp"

namespace krica {

/// What an evaluation costs a GPU, in multiply-adds of a large product in tf32.
struct DeviceWork {
  double per_sample = 0;
  double per_group = 0;  ///< whatever the number of samples; besides the transfers
};

/// So many groups that what each costs in addition is less than a tenth of its work: a power of
/// two, which more numbers of ranks divide evenly, and at most 16.
inline Partition device_groups(Index samples, DeviceWork work) {
  constexpr Index kMost = 16;
  // About 0.2 ms of an H200, which does 126e9 per ms: atoms to the device, the gradient from it,
  // and waiting for both.
  constexpr double kTransfers = 25e9;
  constexpr double kWorkPerCost = 10;
  const double groups = static_cast<double>(samples) * work.per_sample /
                        (kWorkPerCost * (kTransfers + work.per_group));
  const auto most = static_cast<Index>(std::clamp<double>(
      groups, 1, static_cast<double>(std::min(kMost, std::max<Index>(1, samples / 2)))));
  const auto count =
      static_cast<Index>(std::bit_floor(static_cast<std::make_unsigned_t<Index>>(most)));
  return {samples, (samples + count - 1) / count};
}

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
