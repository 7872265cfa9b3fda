// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "krica/runtime/error.hpp"
#include "runtime/ordered_reduce.hpp"
#include "runtime/work_per_thread.hpp"

namespace krica {
namespace {

TEST(Partition, CoversEverythingOnceWithEvenParts) {
  for (Index total = 0; total <= 70; ++total) {
    for (Index largest = 1; largest <= 20; ++largest) {
      const Partition parts(total, largest);
      Index next = 0;
      Index smallest = total;
      for (Index part = 0; part < parts.count(); ++part) {
        const Range range = parts[part];
        ASSERT_EQ(range.begin, next);
        ASSERT_GT(range.size(), 0);
        ASSERT_LE(range.size(), largest);
        ASSERT_LE(range.size(), parts.largest());
        smallest = std::min(smallest, range.size());
        next = range.end;
      }
      ASSERT_EQ(next, total);
      ASSERT_LE(parts.largest() - smallest, 1);
      ASSERT_EQ(parts.count(), (total + largest - 1) / largest) << "not the fewest parts";
    }
  }
}

TEST(Partition, LeavesNoSingleItemWherePartsMayHoldThree) {
  for (Index total = 2; total <= 300; ++total) {
    for (Index largest = 3; largest <= 140; ++largest) {
      const Partition parts(total, largest);
      for (Index part = 0; part < parts.count(); ++part)
        ASSERT_GT(parts[part].size(), 1) << total << " in parts of " << largest;
    }
  }
}

TEST(Partition, LargestIsTheSizeOfTheLargestPart) {
  EXPECT_EQ(Partition(0, 5).largest(), 0);
  EXPECT_EQ(Partition(7, 5).largest(), 4);
  EXPECT_EQ(Partition(5, 5).largest(), 5);
}

class ParallelLoops : public testing::TestWithParam<int> {
 protected:
  const Context context_{{.threads = GetParam()}};
};

TEST_P(ParallelLoops, RunEachIndexOnce) {
  for (const Index count : {0, 1, 2, 3, 100}) {
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
    parallel_for(context_, count, [&](Index i) { ++runs[static_cast<std::size_t>(i)]; });
    for (const auto& run : runs) EXPECT_EQ(run.load(), 1);
  }
}

TEST_P(ParallelLoops, RethrowTheBodysException) {
  const auto body = [](Index i) {
    if (i == 17) throw std::domain_error("seventeen");
  };
  try {
    parallel_for(context_, 50, body);
    FAIL() << "nothing was thrown";
  } catch (const std::domain_error& error) {
    EXPECT_STREQ(error.what(), "seventeen");
  }
}

TEST_P(ParallelLoops, WorkAgainAfterAnException) {
  EXPECT_THROW(parallel_for(context_, 9, [](Index) { throw std::runtime_error("all"); }),
               std::runtime_error);
  std::atomic<int> runs = 0;
  parallel_for(context_, 9, [&](Index) { ++runs; });
  EXPECT_EQ(runs.load(), 9);
}

TEST_P(ParallelLoops, StopWhereTheyAreCancelled) {
  std::atomic<int> runs = 0;
  const auto body = [&](Index i) {
    ++runs;
    if (i == 3) context_.cancel();
  };
  EXPECT_THROW(parallel_for(context_, 10000, body), Cancelled);
  EXPECT_LT(runs.load(), 10000);
  EXPECT_THROW(parallel_for(context_, 5, [](Index) {}), Cancelled);
  context_.clear_cancel();
  EXPECT_NO_THROW(parallel_for(context_, 5, [](Index) {}));
}

TEST_P(ParallelLoops, NestWithoutLosingWork) {
  std::atomic<int> runs = 0;
  parallel_for(context_, 6, [&](Index) { parallel_for(context_, 7, [&](Index) { ++runs; }); });
  EXPECT_EQ(runs.load(), 42);
}

TEST_P(ParallelLoops, RunFromSeveralThreadsAtOnce) {
  std::atomic<int> runs = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) parallel_for(context_, 20, [&](Index) { ++runs; });
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(runs.load(), 4 * 50 * 20);
}

/// The threads that a loop of this work runs on, at the usual work per thread.
std::set<std::thread::id> threads_for(const Context& context, Work work) {
  const double before = set_work_per_thread(kWorkPerThread);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  parallel_for(context, 1000, work, [&](Index) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  set_work_per_thread(before);
  return threads;
}

TEST_P(ParallelLoops, StayOnTheCallingThreadWhereTheyAreSmall) {
  EXPECT_EQ(threads_for(context_, work_of(1000, 100)), std::set{std::this_thread::get_id()});
  EXPECT_EQ(threads_for(context_, Work{0}), std::set{std::this_thread::get_id()});
}

TEST_P(ParallelLoops, UseNoMoreThreadsThanTheWorkIsWorth) {
  EXPECT_LE(threads_for(context_, work_of(2.5, kWorkPerThread)).size(), 2U);
}

TEST(Work, IsTheProductOfItsFactors) {
  EXPECT_EQ(work_of(Index{3}, 0.5, 8).operations, 12);
  const Index large = Index{1} << 40;  // its square is beyond an Index
  EXPECT_EQ(work_of(large, large).operations, std::pow(2.0, 80));
}

TEST_P(ParallelLoops, UseNoMoreThreadsThanTheContextHas) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  parallel_for(context_, 500, [&](Index) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_LE(static_cast<int>(threads.size()), GetParam());
}

TEST_P(ParallelLoops, WaitForNoThreadThatHasNotBegun) {
  // Helpers of the outer loop that begin late find nothing left to do and touch nothing.
  for (int round = 0; round < 2000; ++round) {
    auto gone = std::make_unique<std::atomic<int>>(0);
    parallel_for(context_, 2, [&](Index) { ++*gone; });
    ASSERT_EQ(gone->load(), 2);
  }
}

/// What the child of a fork computes: 0 where all is well.
int sum_in_child(const Context& context) {
  double sum = 0;
  try {
    sum = ordered_reduce(context, 100, [](Index i) { return static_cast<double>(i); });
  } catch (...) {
    return 2;
  }
  return sum == 4950 ? 0 : 1;
}

TEST_P(ParallelLoops, WorkInAForkedChildAfterTheyWereUsed) {
  parallel_for(context_, 100, [](Index) {});
  for (int round = 0; round < 5; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(sum_in_child(context_));
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  EXPECT_EQ(sum_in_child(context_), 0) << "and in the parent";
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelLoops, testing::Values(1, 2, 3, 4, 16),
                         [](const auto& test) { return std::to_string(test.param); });

}  // namespace
}  // namespace krica
