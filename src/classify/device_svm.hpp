// SPDX-License-Identifier: BSD-3-Clause
//
// The SVM's sums over its samples on the context's GPU, or on those of all ranks.
#pragma once

#include <memory>
#include <span>

#include "device/hinge_sums.hpp"
#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

/// Copies the features there. Null if the context has no device, or one of the ranks' devices has
/// not enough memory for them.
/// Throws DeviceError.
std::unique_ptr<device::HingeSums> device_svm(const Context& context, ConstMatrixView<float> Z,
                                              std::span<const int> labels, Index n_classes);

}  // namespace krica
