// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace krica {

/// The number of processors available to this process: those of its affinity mask, or fewer if a
/// control group limits its processor time (cpu.max of cgroup v2, cpu.cfs_quota_us of v1; a quota
/// of 1.5 processors counts as 2). At least 1. `root` is the parent of /proc and /sys, for tests.
int available_processors(const std::filesystem::path& root = "/");

}  // namespace krica
