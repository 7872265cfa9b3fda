// SPDX-License-Identifier: BSD-3-Clause
//
// A solver that is stopped at any moment, saved to disk and resumed gives the very same bits as one
// that was never stopped.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "solvers/runners.hpp"
#include "solvers/toys.hpp"

namespace krica {
namespace {

using tests::expect_same;
using tests::KricaProblem;
using tests::SolverKind;
using toys::Observed;

/// To a file's bytes and back: as through_disk, without waiting for the disk.
Archive through_bytes(const Archive& state) { return Archive::parse(state.bytes(), "state"); }

/// To a file and back.
Archive through_disk(const Archive& state) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = fmt::format("{}-{}.safetensors", test->test_suite_name(), test->name());
  std::replace(name.begin(), name.end(), '/', '-');
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / name;
  state.save(path);
  Archive loaded = Archive::load(path);
  std::filesystem::remove(path);
  return loaded;
}

template <class R>
class Resuming : public testing::Test {
 protected:
  using Scalar = typename R::Scalar;
  using Result = SolverResult<Scalar>;

  Result uninterrupted() {
    const Context context({.threads = 1});
    auto objective = problem_.objective();
    return runner_.minimize(context, objective, problem_.start);
  }

  /// Minimises, or resumes where there is a state, and cancels in the n-th evaluation (0: never).
  Result stopped_at(Index n, const Archive* state = nullptr) {
    const Context context({.threads = 1});
    auto objective = problem_.objective();
    Observed<Scalar> observed(objective);
    observed.before = [&](Index count) {
      if (count == n) context.cancel();  // the evaluation itself finds out
    };
    const Result result = state == nullptr ? runner_.minimize(context, observed, problem_.start)
                                           : runner_.resume(context, observed, *state);
    evaluations_ = observed.count();
    return result;
  }

  /// In whichever way: `cut` was cancelled, and comes to the same end when resumed.
  void expect_resumes(const Result& cut, const Result& expected, const std::string& when) {
    EXPECT_EQ(name_of(cut.status), name_of(Status::kCancelled)) << when;
    const Archive state = through_bytes(cut.state);
    expect_same(stopped_at(0, &state), expected, when);
  }

  KricaProblem<Scalar> problem_;
  R runner_ = {.limit = R::kKind == SolverKind::kAdam ? 5 : 25};
  Index evaluations_ = 0;  // of the last stopped_at
};

TYPED_TEST_SUITE(Resuming, tests::AllRunners, tests::RunnerNames);

TYPED_TEST(Resuming, AfterACancelInAnyEvaluation) {
  const auto expected = this->uninterrupted();
  this->stopped_at(0);
  const Index all = this->evaluations_;
  ASSERT_GT(all, 20);
  for (Index n = 1; n <= all; ++n) {
    const auto cut = this->stopped_at(n);
    this->expect_resumes(cut, expected, fmt::format("cancelled in evaluation {}", n));
    EXPECT_LE(cut.evaluations, expected.evaluations);
    if (n > 1) {
      EXPECT_LE(cut.value, cut.history.back().value);
    }
  }
}

TYPED_TEST(Resuming, AfterTwoCancels) {
  const auto expected = this->uninterrupted();
  for (const Index first : {1, 2, 7, 15}) {
    for (const Index second : {1, 2, 4}) {
      const Archive state = through_bytes(this->stopped_at(first).state);
      const auto cut = this->stopped_at(second, &state);
      this->expect_resumes(cut, expected, fmt::format("cancelled in {} and {}", first, second));
    }
  }
}

TYPED_TEST(Resuming, AfterACancelFromTheIterationHookOrTheProgress) {
  const auto expected = this->uninterrupted();
  for (const bool by_progress : {false, true}) {
    for (std::size_t n = 0; n + 1 < expected.history.size(); ++n) {
      const Context* running = nullptr;
      const Context context({.threads = 1, .progress = [&](const Progress& progress) {
                               if (by_progress && progress.step == static_cast<Index>(n))
                                 running->cancel();
                             }});
      running = &context;
      auto objective = this->problem_.objective();
      TypeParam runner = this->runner_;
      runner.hooks.iteration = [&](const HistoryRow& row) {
        if (!by_progress && row.iteration == static_cast<Index>(n)) context.cancel();
      };
      const auto cut = runner.minimize(context, objective, this->problem_.start);
      EXPECT_EQ(cut.history.size(), n + 1);
      this->expect_resumes(cut, expected, fmt::format("cancelled after iteration {}", n));
    }
  }
}

TYPED_TEST(Resuming, AfterACancelFromAnotherThread) {
  const auto expected = this->uninterrupted();
  const Context context({.threads = 2});
  auto objective = this->problem_.objective();
  Observed<typename TypeParam::Scalar> observed(objective);
  std::atomic<bool> evaluating{false};
  observed.before = [&](Index count) {
    if (count != 9) return;
    evaluating = true;
    evaluating.notify_one();
    while (!context.cancelled()) std::this_thread::yield();
  };
  std::thread other([&] {
    evaluating.wait(false);
    context.cancel();
  });
  const auto cut = this->runner_.minimize(context, observed, this->problem_.start);
  other.join();
  this->expect_resumes(cut, expected, "cancelled from another thread");
}

TYPED_TEST(Resuming, FromEveryCheckpoint) {
  const auto expected = this->uninterrupted();
  const Context context({.threads = 1});
  // Of L-BFGS and the fixed point the start is one, too.
  const Index all =
      TypeParam::kKind == SolverKind::kAdam ? expected.evaluations : expected.iterations + 1;
  for (const Index every : {1, 3}) {
    auto objective = this->problem_.objective();
    std::vector<Archive> checkpoints;
    Index asked = 0;
    TypeParam runner = this->runner_;
    runner.hooks.checkpoint = [&](const Archive& state) {
      checkpoints.push_back(through_bytes(state));
    };
    runner.hooks.checkpoint_due = [&] { return ++asked % every == 0; };
    expect_same(runner.minimize(context, objective, this->problem_.start), expected, "watched");
    EXPECT_EQ(asked, all);
    EXPECT_EQ(static_cast<Index>(checkpoints.size()), all / every);
    for (const Archive& state : checkpoints)
      expect_same(this->stopped_at(0, &state), expected, "from a checkpoint");
  }
}

TYPED_TEST(Resuming, ACancelIsACheckpointThoughNoneIsDue) {
  const Context context({.threads = 1});
  auto objective = this->problem_.objective();
  std::vector<Archive> checkpoints;
  TypeParam runner = this->runner_;
  runner.hooks.checkpoint = [&](const Archive& state) { checkpoints.push_back(state); };
  runner.hooks.iteration = [&](const HistoryRow& row) {
    if (row.iteration == 2) context.cancel();
  };
  const auto cut = runner.minimize(context, objective, this->problem_.start);
  ASSERT_EQ(checkpoints.size(), 1U);
  EXPECT_EQ(checkpoints.front().bytes(), cut.state.bytes());
}

TYPED_TEST(Resuming, AFinishedRunReturnsItUnchanged) {
  const auto expected = this->uninterrupted();
  const Archive state = through_disk(expected.state);
  expect_same(this->stopped_at(0, &state), expected, "finished");
}

/// Adam's epochs shape its rates, so only the others can be given more iterations.
template <class R>
class Continuing : public Resuming<R> {};
using FullBatchRunners =
    testing::Types<tests::LbfgsRunner<double>, tests::LbfgsRunner<float>,
                   tests::FixedPointRunner<double>, tests::FixedPointRunner<float>>;
TYPED_TEST_SUITE(Continuing, FullBatchRunners, tests::RunnerNames);

TYPED_TEST(Continuing, WithMoreIterations) {
  this->runner_.limit = 30;
  const auto expected = this->uninterrupted();
  ASSERT_GT(expected.iterations, 10);
  for (const Index first : {0, 1, 5, 10}) {
    this->runner_.limit = first;
    const auto cut = this->uninterrupted();
    EXPECT_EQ(cut.status, Status::kIterationLimit);
    EXPECT_EQ(cut.iterations, first);
    const Archive state = through_disk(cut.state);
    this->runner_.limit = 30;
    expect_same(this->stopped_at(0, &state), expected, fmt::format("continued from {}", first));
  }
}

/// Whether the run ended in a line search that failed after several evaluations.
bool ended_in_a_failing_search(const SolverResult<float>& result) {
  return result.status == Status::kLineSearchFailed &&
         result.evaluations > result.history.back().evaluations + 2;
}

/// Down to float32's last digit, where quasi-Newton directions fail and steepest descents are
/// tried: in these searches, too, a cancel leaves no trace. Which problem ends so depends on the
/// processor's rounding, so the first that does is taken.
TEST(ResumingLbfgs, AfterACancelInAFailingLineSearch) {
  const Context context({.threads = 1});
  const LbfgsOptions options{.gradient_tolerance = 0, .value_tolerance = 0};
  const auto problem_of = [](std::uint64_t seed) {
    return KricaProblem<float>({.m = 80, .n = 4, .K = 6}, {.gamma = 2.0}, seed);
  };
  const auto solved = [&](std::uint64_t seed) {
    const KricaProblem<float> problem = problem_of(seed);
    auto objective = problem.objective();
    return Lbfgs<float>(options).minimize(context, objective, problem.start);
  };
  std::uint64_t seed = 1;
  while (seed < 50 && !ended_in_a_failing_search(solved(seed))) ++seed;
  const KricaProblem<float> problem = problem_of(seed);
  auto objective = problem.objective();
  const auto expected = Lbfgs<float>(options).minimize(context, objective, problem.start);
  ASSERT_TRUE(ended_in_a_failing_search(expected)) << name_of(expected.status);
  for (Index n = expected.evaluations / 2; n <= expected.evaluations; ++n) {
    Observed<float> observed(objective);
    observed.before = [&](Index count) {
      if (count == n) throw Cancelled();
    };
    const auto cut = Lbfgs<float>(options).minimize(context, observed, problem.start);
    ASSERT_EQ(cut.status, Status::kCancelled);
    const auto resumed = Lbfgs<float>(options).resume(context, objective, through_bytes(cut.state));
    expect_same(resumed, expected, fmt::format("cancelled in evaluation {}", n));
  }
}

}  // namespace
}  // namespace krica
