// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/thread_pool.hpp"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <system_error>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace krica {
namespace {

// About 5 to 20 microseconds: shorter than a futex wake-up, so that the loops of one iteration find
// the helpers awake, and too short to disturb others on the machine.
constexpr int kSpins = 200;

thread_local bool inside = false;

void pause_briefly() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

template <class Condition>
void spin_until(Condition condition) {
  for (int i = 0; i < kSpins && !condition(); ++i) pause_briefly();
}

}  // namespace

void SharedLoop::work() {
  for (std::int64_t item = next_.fetch_add(1, std::memory_order_relaxed); item < count_;
       item = next_.fetch_add(1, std::memory_order_relaxed)) {
    if (!failed_.load(std::memory_order_relaxed)) run(item);
    if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == count_) {
      complete_.store(1, std::memory_order_release);
      complete_.notify_one();
    }
  }
}

void SharedLoop::run(std::int64_t item) {
  try {
    body_(item);
  } catch (...) {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = std::current_exception();
    failed_.store(true, std::memory_order_relaxed);
  }
}

void SharedLoop::finish() {
  spin_until([&] { return complete_.load(std::memory_order_acquire) != 0; });
  complete_.wait(0, std::memory_order_acquire);
  if (failure_) std::rethrow_exception(failure_);
}

ThreadPool& ThreadPool::of_process() {
  // Never destroyed: its threads may outlive main().
  static std::atomic<ThreadPool*> current{nullptr};
  const auto process = static_cast<std::int64_t>(getpid());
  ThreadPool* pool = current.load(std::memory_order_acquire);
  if (pool != nullptr && pool->process_ == process) return *pool;
  // In a forked child the old pool's mutex may be locked forever; leave it alone.
  auto* made = new ThreadPool(process);
  if (current.compare_exchange_strong(pool, made, std::memory_order_acq_rel)) return *made;
  delete made;
  return *pool;
}

bool ThreadPool::inside_loop() { return inside; }

void ThreadPool::run(const std::shared_ptr<SharedLoop>& loop, int helpers) {
  offer(loop, helpers);
  inside = true;
  loop->work();
  inside = false;
  withdraw(loop, helpers);
  loop->finish();
}

void ThreadPool::offer(const std::shared_ptr<SharedLoop>& loop, int helpers) {
  {
    const std::lock_guard lock(mutex_);
    wanted_ += helpers;
    while (threads_ < wanted_) add_thread();
    openings_.push_back({loop, helpers});
    open_places_.fetch_add(helpers, std::memory_order_relaxed);
  }
  // After unlocking: a helper that wakes earlier would only wait for the mutex.
  for (int i = 0; i < helpers; ++i) offered_.notify_one();
}

void ThreadPool::withdraw(const std::shared_ptr<SharedLoop>& loop, int helpers) {
  const std::lock_guard lock(mutex_);
  wanted_ -= helpers;
  for (auto opening = openings_.begin(); opening != openings_.end(); ++opening) {
    if (opening->loop != loop) continue;
    open_places_.fetch_sub(opening->helpers, std::memory_order_relaxed);
    openings_.erase(opening);
    return;
  }
}

/// Signals are for the user's threads. If the system refuses more threads, the loop runs on the
/// existing ones.
void ThreadPool::add_thread() {
  ++threads_;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([this] { help(); }).detach();
  } catch (const std::system_error&) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ThreadPool::help() {
  inside = true;
  while (true) next_loop()->work();
}

std::shared_ptr<SharedLoop> ThreadPool::next_loop() {
  spin_until([&] { return open_places_.load(std::memory_order_relaxed) > 0; });
  std::unique_lock lock(mutex_);
  offered_.wait(lock, [&] { return !openings_.empty(); });
  Opening& opening = openings_.front();
  std::shared_ptr<SharedLoop> loop = opening.loop;
  open_places_.fetch_sub(1, std::memory_order_relaxed);
  if (--opening.helpers == 0) openings_.pop_front();
  return loop;
}

}  // namespace krica
