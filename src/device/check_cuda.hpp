// SPDX-License-Identifier: BSD-3-Clause
//
// From CUDA's status to DeviceError.
#pragma once

#include <cuda_runtime_api.h>

namespace krica::device {

/// Throws DeviceError unless status is success.
void check(cudaError_t status, const char* doing);

}  // namespace krica::device
