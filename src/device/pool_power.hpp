// SPDX-License-Identifier: BSD-3-Clause
//
// The power of pooled codes (features/pool_power.hpp) on a device.
#pragma once

#include <cstddef>

#include "device/stream.hpp"

namespace krica::device {

/// values[i] = φ(values[i]). Throws DeviceError (kFailed).
void raise_to_power(double power, float* values, std::size_t count, Stream stream = nullptr);

}  // namespace krica::device
