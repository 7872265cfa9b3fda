// SPDX-License-Identifier: BSD-3-Clause
//
// Context: how to compute, as opposed to what. It is the first argument of everything that works
// long. The same seed gives the same bits for any number of threads.
//
//   krica::Context context({.threads = 2, .seed = 7});
//
// Cancelling: call cancel() from another thread, from a progress callback or from a signal handler;
// computations notice it per block of work.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "krica/runtime/random.hpp"

namespace krica {

/// One report of a long computation.
struct Progress {
  std::string_view stage;      ///< what is being done, e.g. "lbfgs"
  std::int64_t step = 0;       ///< steps done
  std::int64_t total = 0;      ///< steps at most; 0 where unknown
  double value = 0;            ///< the current objective value
  std::string_view note = {};  ///< what else there is to say, e.g. "epoch 2 of 10"
};

struct ContextOptions {
  int threads = 0;         ///< 0: all processors that the process may use; at most 256
  std::uint64_t seed = 0;  ///< every random choice follows from it
  std::int64_t memory_bytes = std::int64_t{4} << 30;   ///< budget for what is held beside the data
  std::function<void(const Progress&)> progress = {};  ///< called from the calling thread

  void validate() const;
};

class Context {
 public:
  Context() : Context(ContextOptions{}) {}
  explicit Context(ContextOptions options);

  [[nodiscard]] int threads() const { return threads_; }
  [[nodiscard]] std::uint64_t seed() const { return options_.seed; }
  [[nodiscard]] std::int64_t memory_bytes() const { return options_.memory_bytes; }

  /// The random stream of one purpose, e.g. random("adam.shuffle", epoch).
  [[nodiscard]] Random random(std::string_view purpose, std::uint64_t index = 0) const {
    return {options_.seed, purpose, index};
  }

  /// The same threads, budget, progress and cancelling with another seed.
  [[nodiscard]] Context with_seed(std::uint64_t seed) const {
    Context other = *this;
    other.options_.seed = seed;
    return other;
  }

  void report(const Progress& progress) const {
    if (options_.progress) options_.progress(progress);
  }

  /// Asks running computations to stop. Safe in a signal handler. Copies of a context share it.
  void cancel() const noexcept { cancelled_->store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool cancelled() const noexcept {
    return cancelled_->load(std::memory_order_relaxed);
  }
  void clear_cancel() const noexcept { cancelled_->store(false, std::memory_order_relaxed); }
  /// Throws Cancelled if cancel() was called.
  void check_cancelled() const;

 private:
  ContextOptions options_;
  int threads_;
  std::shared_ptr<std::atomic<bool>> cancelled_;
};

}  // namespace krica
