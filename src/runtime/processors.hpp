// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace krica {

/// The processors that this process may use: those of its affinity mask, or fewer where a control
/// group limits its processor time (cpu.max of cgroup v2, cpu.cfs_quota_us of v1; a quota of 1.5
/// processors counts as 2). At least 1. `root` is where /proc and /sys are, for tests.
int available_processors(const std::filesystem::path& root = "/");

}  // namespace krica
