// SPDX-License-Identifier: BSD-3-Clause
#include "clustering/device_pass.hpp"

#include <type_traits>

#include "device/use_device.hpp"
#include "krica/runtime/error.hpp"

namespace krica::lloyd {

template <class Scalar>
DevicePass<Scalar>::DevicePass(const Context& context, ConstMatrixView<Scalar> X, Index K,
                               device::Match match)
    : context_(context), K_(K), n_(X.cols()) {
  if constexpr (std::is_same_v<Scalar, float>) {
    if (!context.cuda_device()) return;
    device::use_device(context);
    try {
      twin_ = device::make_clustering_twin(
          {X.data(), X.rows(), static_cast<int>(X.cols()), X.outerStride()}, static_cast<int>(K),
          match, device::memory_budget(context));
    } catch (const DeviceError& error) {
      if (error.trouble() != DeviceError::Trouble::kOutOfMemory) throw;
    }
  }
}

template <class Scalar>
double DevicePass<Scalar>::assign(const Matrix<Scalar>& rows, std::span<Index> assignment,
                                  std::span<double> costs) {
  context_.check_cancelled();
  device::use_device(context_);
  if constexpr (std::is_same_v<Scalar, float>) twin_->assign(rows.data(), assignment, costs);
  return tree_sum({costs.begin(), costs.end()});
}

template <class Scalar>
AssignedSums DevicePass<Scalar>::sums(std::span<const Index> assignment) {
  device::use_device(context_);
  AssignedSums sums(K_, n_);
  twin_->add_up(assignment, sums.values.data());
  for (const Index row : assignment) ++sums.counts[static_cast<std::size_t>(row)];
  return sums;
}

template class DevicePass<float>;
template class DevicePass<double>;

}  // namespace krica::lloyd
