// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace krica {

/// The peak memory of the process so far, or since reset_peak_memory(), in bytes; 0 if unknown.
std::int64_t peak_memory();

/// Resets the peak to current usage, if the system allows it. This is visible to others (time -v),
/// so only programs call it.
void reset_peak_memory();

}  // namespace krica
