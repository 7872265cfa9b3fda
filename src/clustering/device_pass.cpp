// SPDX-License-Identifier: BSD-3-Clause
#include "clustering/device_pass.hpp"

#include <type_traits>

#include "device/device_groups.hpp"
#include "device/on_all_ranks.hpp"
#include "runtime/reduce_in_turn.hpp"

namespace krica::lloyd {
namespace {

/// Of a pass, from the time that one takes on an H200 (docs/gpu.md): products in float32, and
/// scores, which are bound by memory. Rows and sums move.
device::DeviceWork work_of_pass(Index K, Index n) {
  const auto rows = static_cast<double>(K);
  const auto values = static_cast<double>(n);
  return {.per_sample = rows * (7.5 * values + 900),
          .per_group = 12 * rows * values * device::kPerByteMoved};
}

template <class Value>
std::span<Value> part_of(std::span<Value> values, Range part) {
  return values.subspan(static_cast<std::size_t>(part.begin),
                        static_cast<std::size_t>(part.size()));
}

}  // namespace

template <class Scalar>
DevicePass<Scalar>::DevicePass(const Context& context, ConstMatrixView<Scalar> X, Index K,
                               device::Match match)
    : context_(context),
      groups_(device::device_groups(X.rows(), work_of_pass(K, X.cols()))),
      sharing_(groups_.count() > 1 ? dividing(context) : context),
      K_(K),
      n_(X.cols()) {
  if constexpr (std::is_same_v<Scalar, float>) {
    if (!context.cuda_device()) return;
    const std::size_t budget = device::budget_on_ranks(context);
    twin_ = device::made_on_all_ranks<device::ClusteringTwin>(context, [&] {
      return device::make_clustering_twin(
          {X.data(), X.rows(), static_cast<int>(X.cols()), X.outerStride()}, static_cast<int>(K),
          match, budget);
    });
  }
}

template <class Scalar>
double DevicePass<Scalar>::assign(const Matrix<Scalar>& rows, std::span<Index> assignment,
                                  std::span<double> costs) {
  context_.check_cancelled();
  if constexpr (std::is_same_v<Scalar, float>) {
    return reduce_in_turn<double>(
        sharing_, groups_.count(), [] { return 0.0; },
        [&](Index group, double& sum) {
          device::use_device(context_);
          const Range part = groups_[group];
          const std::span<double> own = part_of(costs, part);
          twin_->assign(rows.data(), {part.begin, part.size()}, part_of(assignment, part), own);
          sum = tree_sum({own.begin(), own.end()});
        });
  }
  return 0;
}

template <class Scalar>
AssignedSums DevicePass<Scalar>::sums(std::span<const Index> assignment) {
  return reduce_in_turn<AssignedSums>(
      sharing_, groups_.count(), [&] { return AssignedSums(K_, n_); },
      [&](Index group, AssignedSums& sums) {
        device::use_device(context_);
        const Range part = groups_[group];
        const std::span<const Index> own = part_of(assignment, part);
        twin_->add_up({part.begin, part.size()}, own, sums.values.data());
        for (const Index row : own) ++sums.counts[static_cast<std::size_t>(row)];
      });
}

template class DevicePass<float>;
template class DevicePass<double>;

}  // namespace krica::lloyd
