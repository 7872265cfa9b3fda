// SPDX-License-Identifier: BSD-3-Clause
//
// A file that several ranks write, and jobs that they share.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "krica/runtime/error.hpp"
#include "runtime/farm.hpp"
#include "runtime/shared_file.hpp"
#include "support/thread_ranks.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

/// Tests run side by side.
std::string own_name() {
  return std::string("krica-shared-file-") +
         testing::UnitTest::GetInstance()->current_test_info()->name();
}

class SharedFiles : public testing::Test {
 protected:
  SharedFiles() : directory_(fs::path(testing::TempDir()) / own_name()) {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  ~SharedFiles() override { fs::remove_all(directory_); }

  fs::path directory_;
};

std::string content(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::size_t files_in(const fs::path& directory) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

TEST_F(SharedFiles, HaveThePartsOfAllRanks) {
  const fs::path path = directory_ / "parts";
  on_ranks(3, {.threads = 1}, [&](const Context& context) {
    SharedFile file(context, "test", path);
    const int rank = context.ranks()->rank();
    const std::string part(2, static_cast<char>('a' + rank));
    file.write_at(static_cast<std::size_t>(2 * (2 - rank)), part.data(), part.size());
    EXPECT_FALSE(fs::exists(path));
    file.commit();
  });
  EXPECT_EQ(content(path), "ccbbaa");
  EXPECT_EQ(files_in(directory_), 1U);
}

TEST_F(SharedFiles, AreWrittenByOneProcessToo) {
  const fs::path path = directory_ / "alone";
  SharedFile file(Context(), "test", path);
  file.write_at(0, "ab", 2);
  file.commit();
  EXPECT_EQ(content(path), "ab");
}

TEST_F(SharedFiles, LeaveNothingWithoutCommit) {
  on_ranks(2, {.threads = 1}, [&](const Context& context) {
    SharedFile file(context, "test", directory_ / "half");
    agree(context, [&] { file.write_at(0, "ab", 2); });
  });
  EXPECT_EQ(files_in(directory_), 0U);
}

TEST_F(SharedFiles, ThatCannotBeCreatedFailOnAllRanks) {
  std::atomic<int> failures = 0;
  on_ranks(3, {.threads = 1}, [&](const Context& context) {
    try {
      const SharedFile file(context, "test", directory_ / "missing" / "file");
    } catch (const IoError&) {
      ++failures;
    }
  });
  EXPECT_EQ(failures, 3);
}

/// As long as no other's nearby.
std::string result_of(Index job) { return std::string(static_cast<std::size_t>(1 + job % 4), 'x'); }

TEST(Farm, EveryRankGetsAllResultsInOrder) {
  for (const int ranks : {1, 2, 3, 5}) {
    for (const Index jobs : {0, 1, 4, 7}) {
      on_ranks(ranks, {.threads = 1, .seed = 9}, [&](const Context& context) {
        std::vector<std::string> taken;
        std::vector<Index> own;
        farm(
            context.with_all_rows(), jobs,
            [&](const Context& group, Index job, std::string& result) {
              const bool whole_round = job / ranks * ranks + ranks <= jobs;
              if (whole_round) {
                EXPECT_EQ(group.ranks(), nullptr);
                own.push_back(job);
              }
              EXPECT_EQ(group.seed(), 9U);
              if (is_first(group)) result = result_of(job);
            },
            [&](Index job, const std::string& result) {
              EXPECT_EQ(job, std::ssize(taken));
              taken.push_back(result);
            });
        ASSERT_EQ(std::ssize(taken), jobs);
        for (Index job = 0; job < jobs; ++job)
          EXPECT_EQ(taken[static_cast<std::size_t>(job)], result_of(job));
        const int rank = context.ranks() == nullptr ? 0 : context.ranks()->rank();
        for (const Index job : own) EXPECT_EQ(job % ranks, rank);
      });
    }
  }
}

TEST(Farm, GroupsOfRanksShareTheLastJobs) {
  std::vector<std::string> members(5);
  on_ranks(5, {.threads = 1}, [&](const Context& context) {
    const auto rank = static_cast<std::size_t>(context.ranks()->rank());
    std::vector<std::string> taken;
    farm(
        context.with_all_rows(), 7,
        [&](const Context& group, Index job, std::string& result) {
          if (job < 5) return;
          Communicator& ranks = *group.ranks();
          std::string all(static_cast<std::size_t>(ranks.size()), ' ');
          all[static_cast<std::size_t>(ranks.rank())] = static_cast<char>('0' + rank);
          ranks.all_gather(all.data(), std::vector<std::size_t>(all.size(), 1));
          members[rank] = all;
          result = is_first(group) ? all : "of another rank";
        },
        [&](Index, const std::string& result) { taken.push_back(result); });
    EXPECT_EQ(taken, (std::vector<std::string>{"012", "34"}));
  });
  EXPECT_EQ(members, (std::vector<std::string>{"012", "012", "012", "34", "34"}));
}

TEST(Farm, AGroupStopsTogether) {
  std::atomic<int> stopped = 0;
  on_ranks(4, {.threads = 1}, [&](const Context& given) {
    const Context context = given.with_all_rows();
    try {
      farm(
          context, 2,
          [&](const Context& group, Index job, std::string&) {
            if (job == 1 && is_first(group)) context.cancel();
            group.report({"job", 1, 2, 0});  // where ranks agree
            EXPECT_TRUE(job == 0 || group.cancelled()) << "the other group stops a little later";
            // As for a job that the first of a group computes alone.
            EXPECT_TRUE(job == 0 || !is_first(group) || group.with_ranks(nullptr).cancelled());
            group.check_cancelled();
          },
          [](Index, const std::string&) {});
    } catch (const Cancelled&) {
      ++stopped;
    }
  });
  EXPECT_EQ(stopped, 4);
}

TEST(Farm, AnErrorInAGroupIsThrownAtOnce) {
  std::atomic<int> failures = 0;
  on_ranks(2, {.threads = 1}, [&](const Context& context) {
    const bool first = is_first(context);
    try {
      farm(
          context.with_all_rows(), 1,
          [&](const Context& group, Index, std::string&) {
            // The first waits for the other in its job.
            EXPECT_TRUE(!first || group.ranks()->any_of(1U) == 3U);
            throw IoError("full");
          },
          [](Index, const std::string&) { FAIL() << "nothing to take"; });
    } catch (const IoError&) {
      ++failures;
    }
    // What the first waits for: the other exchanges nothing before it is here.
    EXPECT_TRUE(first || context.ranks()->any_of(2U) == 3U);
  });
  EXPECT_EQ(failures, 2);
}

TEST(Farm, AJobThatFailsEndsAllRanksButLosesNoOther) {
  std::atomic<int> failures = 0;
  on_ranks(3, {.threads = 1}, [&](const Context& context) {
    std::vector<std::string> taken(9);
    try {
      farm(
          context.with_all_rows(), 9,
          [](const Context&, Index job, std::string& result) {
            result = "half";
            if (job == 4) throw DataError("job 4");
            if (job == 3) result.clear();
            if (job != 3) result = "whole";
          },
          [&](Index job, const std::string& result) {
            taken[static_cast<std::size_t>(job)] = result;
          });
    } catch (const DataError& error) {
      EXPECT_STREQ(error.what(), "job 4");
      ++failures;
    }
    // Job 3 gave nothing, and the round after never began.
    EXPECT_EQ(taken, (std::vector<std::string>{"whole", "whole", "whole", "", "half", "whole", "",
                                               "", ""}));
  });
  EXPECT_EQ(failures, 3);
}

TEST(Farm, ResultsThatCannotBeTakenEndAllRanks) {
  std::atomic<int> failures = 0;
  on_ranks(2, {.threads = 1}, [&](const Context& context) {
    const bool first = context.ranks()->rank() == 0;
    try {
      farm(
          context.with_all_rows(), 4,
          [](const Context&, Index job, std::string& result) { result = result_of(job); },
          [&](Index job, const std::string&) {
            EXPECT_LT(job, 2);
            if (first) throw IoError("full");
          });
    } catch (const IoError& error) {
      EXPECT_STREQ(error.what(), "full");
      ++failures;
    }
  });
  EXPECT_EQ(failures, 2);
}

TEST(Farm, StopsWhenARankIsAskedTo) {
  std::atomic<int> stopped = 0;
  on_ranks(2, {.threads = 1}, [&](const Context& given) {
    const Context context = given.with_all_rows();
    std::vector<Index> taken;
    try {
      farm(
          context, 4,
          [&](const Context& alone, Index job, std::string& result) {
            if (job == 0) {
              wait_for_other_jobs(context, 1);
              context.cancel();
            }
            alone.notify({"job", 1, 2, 0});
            alone.check_cancelled();
            result = result_of(job);
          },
          [&](Index job, const std::string&) { taken.push_back(job); });
    } catch (const Cancelled&) {
      ++stopped;
    }
    EXPECT_EQ(taken, std::vector<Index>{1}) << "what the other rank had finished";
  });
  EXPECT_EQ(stopped, 2);
}

TEST(Farm, JobsStopWhereOneIsAskedTo) {
  for (const int ranks : {2, 3, 5}) {  // alone, and a job for a group
    std::atomic<int> failures = 0;
    on_ranks(ranks, {.threads = 1}, [&](const Context& given) {
      try {
        farm(
            given.with_all_rows(), 2,
            [&](const Context& own, Index job, std::string&) {
              if (job == 1 && (own.ranks() == nullptr || is_first(own))) given.cancel();
              for (;;) {  // endless
                own.report({"job", 1, 0, 0});
                own.check_cancelled();
              }
            },
            [](Index, const std::string&) { FAIL() << "nothing is done"; });
      } catch (const Cancelled&) {
        ++failures;
      }
    });
    EXPECT_EQ(failures, ranks);
  }
}

TEST(Farm, JobsOfOthersStopAtAnError) {
  std::atomic<int> failures = 0;
  on_ranks(3, {.threads = 1}, [&](const Context& given) {
    try {
      farm(
          given.with_all_rows(), 3,
          [&](const Context& alone, Index job, std::string&) {
            if (job == 1) throw DataError("job 1");
            for (;;) {  // endless
              alone.notify({"job", 1, 0, 0});
              alone.check_cancelled();
            }
          },
          [](Index, const std::string&) { FAIL() << "nothing is done"; });
    } catch (const DataError& error) {
      EXPECT_STREQ(error.what(), "job 1");
      ++failures;
    }
  });
  EXPECT_EQ(failures, 3);
}

}  // namespace
}  // namespace krica
