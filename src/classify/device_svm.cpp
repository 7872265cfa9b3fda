// SPDX-License-Identifier: BSD-3-Clause
#include "classify/device_svm.hpp"

#include <limits>

#include "device/use_device.hpp"
#include "krica/runtime/error.hpp"

namespace krica {
namespace {

constexpr std::size_t kForGram = std::size_t{512} << 20;  // and for cuBLAS

}  // namespace

std::unique_ptr<device::HingeSums> device_svm(const Context& context, ConstMatrixView<float> Z,
                                              std::span<const int> labels, Index n_classes) {
  if (!context.cuda_device()) return nullptr;
  device::use_device(context);
  constexpr Index kMost = std::numeric_limits<int>::max() - 1;
  const auto classes = static_cast<int>(n_classes);
  if (Z.rows() > kMost || Z.cols() > kMost ||
      device::hinge_bytes(Z.rows(), Z.cols(), classes) + kForGram > device::memory_budget(context))
    return nullptr;
  try {
    return device::make_hinge_sums({Z.data(), Z.rows(), Z.cols(), Z.outerStride()}, labels,
                                   classes);
  } catch (const DeviceError& error) {
    if (error.trouble() == DeviceError::Trouble::kOutOfMemory) return nullptr;
    throw;
  }
}

}  // namespace krica
