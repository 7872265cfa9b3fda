// SPDX-License-Identifier: BSD-3-Clause
//
// The default number of threads, with made-up /proc and /sys of systems that limit processor time.
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <fstream>

#include "runtime/processors.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

class Processors : public testing::Test {
 protected:
  // One per process: the tests of a program may run side by side.
  Processors()
      : root_(fs::path(testing::TempDir()) / ("krica-processors-" + std::to_string(getpid()))) {
    fs::remove_all(root_);
  }
  ~Processors() override { fs::remove_all(root_); }
  Processors(const Processors&) = delete;
  Processors& operator=(const Processors&) = delete;

  void write(const fs::path& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
  }

  static int unlimited() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
  }
  static int at_most(int limit) { return std::min(limit, unlimited()); }

  fs::path root_;
};

TEST_F(Processors, AreThoseOfTheAffinityMaskWhereNothingElseLimitsThem) {
  EXPECT_EQ(available_processors(root_), unlimited());
  write("proc/self/cgroup", "0::/");
  write("sys/fs/cgroup/cpu.max", "max 100000");
  EXPECT_EQ(available_processors(root_), unlimited());
  EXPECT_GE(available_processors(), 1);
}

TEST_F(Processors, FollowTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(available_processors(root_), 1);
  sched_setaffinity(0, sizeof(before), &before);
}

TEST_F(Processors, FollowTheQuotaOfVersion2) {
  write("proc/self/cgroup", "0::/");
  write("sys/fs/cgroup/cpu.max", "100000 100000");
  EXPECT_EQ(available_processors(root_), 1);
  write("sys/fs/cgroup/cpu.max", "20000 100000");
  EXPECT_EQ(available_processors(root_), 1) << "never 0";
  write("sys/fs/cgroup/cpu.max", "150000 100000");
  EXPECT_EQ(available_processors(root_), at_most(2)) << "rounded up";
}

TEST_F(Processors, FollowTheSmallestQuotaOnTheWayToTheGroup) {
  write("proc/self/cgroup", "0::/user.slice/job");
  write("sys/fs/cgroup/user.slice/cpu.max", "100000 100000");
  write("sys/fs/cgroup/user.slice/job/cpu.max", "max 100000");
  EXPECT_EQ(available_processors(root_), 1);
}

TEST_F(Processors, FollowTheQuotaOfVersion1) {
  write("proc/self/cgroup", "5:memory:/docker/x\n4:cpu,cpuacct:/docker/x\n0::/");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  EXPECT_EQ(available_processors(root_), 1) << "a container sees its own group at the mount point";
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(available_processors(root_), unlimited());
}

TEST_F(Processors, IgnoreWhatTheyCannotRead) {
  write("proc/self/cgroup", "nonsense\n0::/\n:");
  write("sys/fs/cgroup/cpu.max", "nonsense");
  EXPECT_EQ(available_processors(root_), unlimited());
}

}  // namespace
}  // namespace krica
