// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace krica {

/// The minimum work (runtime/parallel.hpp) per thread of a loop: about 100 microseconds, to pay for
/// waking a thread.
inline constexpr double kWorkPerThread = 2e6;

/// For tests that share small work among threads. Returns the previous value.
double set_work_per_thread(double operations);

}  // namespace krica
