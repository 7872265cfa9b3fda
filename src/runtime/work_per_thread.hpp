// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace krica {

/// How much work (runtime/parallel.hpp) every thread of a loop must have: some 100 microseconds,
/// what waking a thread must pay for.
inline constexpr double kWorkPerThread = 2e6;

/// For tests, which share small work among threads. Returns what it was.
double set_work_per_thread(double operations);

}  // namespace krica
