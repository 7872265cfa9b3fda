// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "krica/runtime/error.hpp"
#include "runtime/pace.hpp"
#include "runtime/ranks.hpp"
#include "support/thread_ranks.hpp"

namespace krica {
namespace {

struct Seen {
  std::string stage;
  std::int64_t step;
  std::int64_t total;
  std::string note;
};

/// What the first of the ranks reports.
class Reports {
 public:
  void of(int ranks, const std::function<void(const Context&)>& body) {
    on_ranks(ranks, {.threads = 1}, [&](const Context& context) {
      if (!is_first(context)) return body(context);
      ContextOptions options{.threads = 1, .progress = [&](const Progress& progress) {
                               seen_.push_back({std::string(progress.stage), progress.step,
                                                progress.total, std::string(progress.note)});
                               latest_ = progress.step;
                               if (!progress.note.empty()) waits_ = true;
                             }};
      // The same rank, which reports.
      options.ranks = std::shared_ptr<Communicator>(context.ranks(), [](Communicator*) {});
      body(Context(options).with_shared_rows());
      is_done_ = true;
    });
  }
  /// Until the first rank has reported so many steps, or is done.
  void wait_for(std::int64_t step) const {
    while (latest_ < step && !is_done_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  /// Until the first rank is done with its own steps.
  void wait_until_it_waits() const {
    while (!waits_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  [[nodiscard]] const std::vector<Seen>& seen() const { return seen_; }

 private:
  std::vector<Seen> seen_;
  std::atomic<std::int64_t> latest_ = -1;
  std::atomic<bool> waits_ = false;
  std::atomic<bool> is_done_ = false;
};

TEST(Pace, OneProcessReportsItsOwn) {
  std::vector<std::int64_t> steps;
  const Context context({.threads = 1, .progress = [&](const Progress& progress) {
                           EXPECT_EQ(progress.stage, "work");
                           EXPECT_EQ(progress.total, 3);
                           steps.push_back(progress.step);
                         }});
  Pace pace(context, "work", 3);
  for (Index step = 1; step <= 3; ++step) pace.reach(step);
  pace.finish();
  EXPECT_EQ(steps, (std::vector<std::int64_t>{1, 2, 3}));
}

TEST(Pace, TheFirstRankReportsTheSlowest) {
  constexpr Index kSteps = 3;
  std::atomic<bool> another_is_done = false;
  std::atomic<std::int64_t> slow_step = 0;
  Reports reports;
  reports.of(3, [&](const Context& context) {
    const int rank = context.ranks()->rank();
    Pace pace(context, "work", kSteps);
    for (Index step = 1; step <= kSteps; ++step) {
      if (rank == 2) {
        while (!another_is_done) std::this_thread::yield();
        reports.wait_until_it_waits();
        std::this_thread::sleep_for(std::chrono::milliseconds(110));  // words follow after 100
        slow_step = step;
      }
      pace.reach(step);
      if (rank == 2) reports.wait_for(step);
    }
    if (rank == 1) another_is_done = true;
    pace.finish();
    EXPECT_TRUE(rank != 0 || slow_step == kSteps) << "the first rank waits for the others";
  });
  // Its own steps while the slowest had done none, then each of the slowest's.
  std::vector<std::int64_t> steps;
  for (const Seen& report : reports.seen()) {
    EXPECT_EQ(report.stage, "work");
    EXPECT_EQ(report.total, kSteps);
    if (steps.empty() || steps.back() != report.step) steps.push_back(report.step);
  }
  EXPECT_EQ(steps, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(reports.seen().back().note, "waiting for 1 of 3 processes");
}

TEST(Pace, NobodyWaitsForARankThatFailed) {
  Reports().of(2, [](const Context& context) {
    EXPECT_THROW(agree(context,
                       [&] {
                         Pace pace(context, "work", 4);
                         pace.reach(1);
                         if (context.ranks()->rank() == 1) throw DataError("bad");
                         pace.finish();
                       }),
                 DataError);
  });
}

/// Steps that the ranks 0 and 1 of 3 do before they stop, of endlessly many, if this happens on
/// rank 2.
template <class Error>
void expect_all_to_stop(const std::function<void(const Context&)>& trouble) {
  on_ranks(3, {.threads = 1}, [&](const Context& context) {
    EXPECT_THROW(agree(context,
                       [&] {
                         Pace pace(context, "work", 1000);
                         for (Index step = 1;; step = std::min<Index>(step + 1, 999)) {
                           stop_if_wanted(context);
                           pace.reach(step);
                           if (step == 5 && context.ranks()->rank() == 2) trouble(context);
                         }
                       }),
                 Error);
  });
}

TEST(Pace, AllStopAtTheirNextStepIfOneFails) {
  expect_all_to_stop<DataError>([](const Context&) { throw DataError("bad"); });
}

TEST(Pace, AllStopAtTheirNextStepIfOneIsAskedTo) {
  expect_all_to_stop<Cancelled>([](const Context& context) { context.cancel(); });
}

TEST(Pace, ARankThatIsDoneStopsTheOthersIfItIsAskedTo) {
  for (const int stopped : {0, 1}) {
    on_ranks(2, {.threads = 1}, [&](const Context& context) {
      EXPECT_THROW(agree(context,
                         [&] {
                           Pace pace(context, "work", 1000);
                           if (context.ranks()->rank() == stopped) {
                             context.cancel();
                             return pace.finish();
                           }
                           for (;;) pace.reach(1);
                         }),
                   Cancelled);
      EXPECT_TRUE(context.cancelled());
    });
  }
}

TEST(Pace, WordsOfAStageThatWasLeftDoNotCount) {
  Reports reports;
  reports.of(2, [&](const Context& context) {
    const int rank = context.ranks()->rank();
    EXPECT_THROW(agree(context,
                       [&] {
                         Pace pace(context, "left", 1);
                         if (rank == 0) throw DataError("bad");
                         pace.finish();
                       }),
                 DataError);
    Pace pace(context, "next", 1);
    if (rank == 1) reports.wait_for(0);
    pace.finish();
  });
  ASSERT_FALSE(reports.seen().empty()) << "a word of the stage before has ended the wait";
  EXPECT_EQ(reports.seen().front().stage, "next");
}

TEST(Pace, CountsRanksThatAreDoneWhereThereAreNoSteps) {
  Reports reports;
  reports.of(3, [&](const Context& context) {
    if (context.ranks()->rank() == 2) reports.wait_for(2);
    Pace(context, "other jobs", 0).finish();
  });
  ASSERT_FALSE(reports.seen().empty());
  EXPECT_EQ(reports.seen().back().step, 2);
  EXPECT_EQ(reports.seen().back().total, 3);
}

}  // namespace
}  // namespace krica
