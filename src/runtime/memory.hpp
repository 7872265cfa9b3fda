// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace krica {

/// The most memory that the process has held so far, or since reset_peak_memory(), in bytes; 0
/// where the system does not tell.
std::int64_t peak_memory();

/// Lets the peak begin anew at what is held now, where the system allows it. This changes what
/// others see of the process (time -v), so only programs call it.
void reset_peak_memory();

}  // namespace krica
