// SPDX-License-Identifier: BSD-3-Clause
//
// The power of pooled codes (features/pool_power.hpp) on a device.
#pragma once

#include <cstddef>

#include "device/stream.hpp"

namespace krica::device {

/// values[i] = φ(values[i]), and slopes[i] = φ'(values[i]) unless slopes is null. Does nothing for
/// a power of 1 without slopes. Throws DeviceError (kFailed).
void raise_to_power(double power, float* values, float* slopes, std::size_t count,
                    Stream stream = nullptr);

}  // namespace krica::device
