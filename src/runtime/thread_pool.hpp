// SPDX-License-Identifier: BSD-3-Clause
//
// The threads that parallel loops share (docs/decisions/0009-threads.md). The calling thread works
// too, and waits only for items that a helper has started: a helper that is not scheduled delays
// nobody. Idle helpers sleep; none spins for more than a few microseconds.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>

namespace krica {

/// body(0) ... body(count - 1), claimed one at a time by the threads that work on it.
class SharedLoop {
 public:
  /// `body` must outlive the last item; it is not used after all items are claimed. Items claimed
  /// after one has thrown are skipped.
  SharedLoop(std::int64_t count, const std::function<void(std::int64_t)>& body)
      : count_(count), body_(body) {}

  /// Claims and runs items until none is left.
  void work();
  /// Returns when every item is done; rethrows the first exception.
  void finish();

 private:
  void run(std::int64_t item);

  const std::int64_t count_;
  const std::function<void(std::int64_t)>& body_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<std::int64_t> done_{0};
  std::atomic<int> complete_{0};
  std::atomic<bool> failed_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

class ThreadPool {
 public:
  /// The pool of this process. A forked child gets a new one, since threads do not survive a fork.
  static ThreadPool& of_process();

  /// Whether the calling thread is inside a loop of the pool.
  static bool inside_loop();

  /// Runs the loop on the calling thread and on up to `helpers` others. Thread-safe.
  void run(const std::shared_ptr<SharedLoop>& loop, int helpers);

 private:
  /// A loop that still accepts helpers.
  struct Opening {
    std::shared_ptr<SharedLoop> loop;
    int helpers;
  };

  explicit ThreadPool(std::int64_t process) : process_(process) {}
  void offer(const std::shared_ptr<SharedLoop>& loop, int helpers);
  void withdraw(const std::shared_ptr<SharedLoop>& loop, int helpers);
  void add_thread();
  void help();
  std::shared_ptr<SharedLoop> next_loop();

  const std::int64_t process_;
  std::mutex mutex_;
  std::condition_variable offered_;
  std::deque<Opening> openings_;
  std::atomic<int> open_places_{0};  // Σ helpers over openings_, for spinning threads
  int wanted_ = 0;                   // helpers of all running loops
  int threads_ = 0;
};

}  // namespace krica
