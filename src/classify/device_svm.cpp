// SPDX-License-Identifier: BSD-3-Clause
#include "classify/device_svm.hpp"

#include <limits>

#include "device/device_groups.hpp"
#include "device/on_all_ranks.hpp"

namespace krica {
namespace {

constexpr std::size_t kForGram = std::size_t{512} << 20;  // and for cuBLAS

/// An evaluation reads the features twice, and moves weights and gradient.
device::DeviceWork work_of_sums(Index F, Index n_classes) {
  const auto cols = static_cast<double>(F);
  return {.per_sample = 8 * cols * device::kPerByteRead,
          .per_group = 8 * cols * static_cast<double>(n_classes) * device::kPerByteMoved};
}

}  // namespace

std::unique_ptr<device::HingeSums> device_svm(const Context& context, ConstMatrixView<float> Z,
                                              std::span<const int> labels, Index n_classes) {
  if (!context.cuda_device()) return nullptr;
  const std::size_t budget = device::budget_on_ranks(context);
  constexpr Index kMost = std::numeric_limits<int>::max() - 1;
  const auto classes = static_cast<int>(n_classes);
  if (Z.rows() > kMost || Z.cols() > kMost ||
      device::hinge_bytes(Z.rows(), Z.cols(), classes) + kForGram > budget)
    return nullptr;
  auto sums = device::made_on_all_ranks<device::HingeSums>(context, [&] {
    return device::make_hinge_sums({Z.data(), Z.rows(), Z.cols(), Z.outerStride()}, labels,
                                   classes);
  });
  if (sums)
    sums->groups = device::device_groups(Z.rows(), work_of_sums(Z.cols(), n_classes)).count();
  return sums;
}

}  // namespace krica
