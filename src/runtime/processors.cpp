// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/processors.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

namespace krica {
namespace {

namespace fs = std::filesystem;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

int processors_of_affinity() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());  // more than CPU_SETSIZE processors
}

double ratio(double quota, double period) {
  return quota > 0 && period > 0 ? quota / period : kUnlimited;
}

/// "150000 100000", or "max 100000" for none. A missing or unreadable file means no limit.
double quota_v2(const fs::path& group) {
  double quota = 0;
  double period = 0;
  std::ifstream file(group / "cpu.max");
  return file >> quota >> period ? ratio(quota, period) : kUnlimited;
}

/// A quota of -1 means none.
double quota_v1(const fs::path& group) {
  double quota = 0;
  double period = 0;
  std::ifstream(group / "cpu.cfs_quota_us") >> quota;
  std::ifstream(group / "cpu.cfs_period_us") >> period;
  return ratio(quota, period);
}

/// The smallest quota of a group and its ancestors. Inside a container the group's path may be that
/// of the host, which is not mounted; the mount point itself applies then.
template <class Quota>
double smallest_quota(const fs::path& mount, const fs::path& group, Quota quota) {
  double smallest = quota(mount);
  fs::path at = mount;
  for (const fs::path& part : group.relative_path()) {
    at /= part;
    smallest = std::min(smallest, quota(at));
  }
  return smallest;
}

/// Lines of /proc/self/cgroup: "0::/group" (v2) or "4:cpu,cpuacct:/group" (v1).
double processors_of_control_group(const fs::path& root) {
  const fs::path mounts = root / "sys/fs/cgroup";
  double smallest = kUnlimited;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const fs::path group = line.substr(second + 1);
    if (controllers == ",,") smallest = std::min(smallest, smallest_quota(mounts, group, quota_v2));
    if (controllers.find(",cpu,") != std::string::npos)
      smallest = std::min(smallest, smallest_quota(mounts / "cpu", group, quota_v1));
  }
  return smallest;
}

}  // namespace

int available_processors(const fs::path& root) {
  const int processors = std::clamp(processors_of_affinity(), 1, 256);
  const double quota = std::ceil(processors_of_control_group(root));
  return quota < processors ? std::max(1, static_cast<int>(quota)) : processors;
}

}  // namespace krica
