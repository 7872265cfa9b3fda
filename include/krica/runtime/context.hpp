// SPDX-License-Identifier: BSD-3-Clause
//
// Context: how to compute, as opposed to what. It is the first argument of every long computation.
// The same seed gives the same bits for any number of threads, on one type of processor.
//
//   krica::Context context({.threads = 2, .seed = 7});
//
// Cancelling: call cancel() from another thread, from a progress callback or from a signal handler;
// computations check for it once per block of work.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "krica/runtime/library.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

class Communicator;

// Counter-based random numbers (Philox4x32-10; Salmon et al., "Parallel Random Numbers: As Easy as
// 1, 2, 3", SC 2011). A stream is identified by (seed, purpose, index) and is free to open, so
// every sample, epoch or restart has its own stream, and results do not depend on the order in
// which threads draw.
//
//   Random random(seed, "kmeans.start", restart);
//   double u = random.uniform();

class KRICA_EXPORT Random {
 public:
  using result_type = std::uint64_t;  // a UniformRandomBitGenerator

  Random(std::uint64_t seed, std::string_view purpose, std::uint64_t index = 0);

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()();

  /// Uniform in [0, 1), 53 bits.
  double uniform();
  /// Standard normal (Box-Muller).
  double normal();
  /// Uniform in {0, ..., bound - 1}, without bias. bound must be positive.
  Index below(Index bound);

 private:
  void refill();

  std::uint64_t key_;      // the seed
  std::uint32_t purpose_;  // hash of the purpose's name
  std::uint64_t index_;
  std::uint32_t draw_ = 0;  // counter within the stream
  std::array<std::uint64_t, 2> buffer_{};
  int buffered_ = 0;
  double spare_normal_ = 0;
  bool has_spare_normal_ = false;
};

/// 0, 1, ..., count - 1 in random order.
KRICA_EXPORT std::vector<Index> random_permutation(Random& random, Index count);

/// `count` distinct indices below `bound`, ascending. Requires count <= bound.
KRICA_EXPORT std::vector<Index> random_subset(Random& random, Index bound, Index count);

/// One report of a long computation.
struct Progress {
  std::string_view stage;      ///< the current activity, e.g. "lbfgs"
  std::int64_t step = 0;       ///< steps done
  std::int64_t total = 0;      ///< maximum number of steps; 0 if unknown
  double value = 0;            ///< the current objective value
  std::string_view note = {};  ///< further information, e.g. "epoch 2 of 10"
};

/// The rounding of the factors of matrix products on a GPU; sums are always float32 or better. The
/// CPU computes in float32.
enum class Precision {
  kFloat32,  ///< "float32": 24 bits
  kTf32,     ///< "tf32": 11 bits, on tensor cores
  kBf16,     ///< "bf16": 8 bits, on tensor cores
};
KRICA_EXPORT std::string_view name_of(Precision precision);

struct KRICA_EXPORT ContextOptions {
  int threads = 0;         ///< 0: all processors available to the process; at most 256
  std::uint64_t seed = 0;  ///< determines every random choice
  std::int64_t memory_bytes = std::int64_t{4} << 30;   ///< memory budget in addition to the data
  std::function<void(const Progress&)> progress = {};  ///< called from the calling thread
  /// "cpu", "cuda" or, with several GPUs, "cuda:0", "cuda:1"... (docs/gpu.md). Computations throw
  /// DeviceError if there is no such device; what has no GPU form runs on the CPU.
  std::string device = "cpu";
  Precision precision = Precision::kTf32;
  std::int64_t device_memory_bytes = 0;  ///< memory budget on the device; 0: most of what is free
  /// The processes that work on the same job, of which this is one; null: it works alone. Each
  /// makes the same calls (docs/cluster.md).
  std::shared_ptr<Communicator> ranks = {};

  void validate() const;
};

class KRICA_EXPORT Context {
 public:
  Context() : Context(ContextOptions{}) {}
  explicit Context(ContextOptions options);

  [[nodiscard]] int threads() const { return threads_; }
  [[nodiscard]] std::uint64_t seed() const { return options_.seed; }
  [[nodiscard]] std::int64_t memory_bytes() const { return options_.memory_bytes; }

  /// The number of the CUDA device to use, or none for the CPU.
  [[nodiscard]] std::optional<int> cuda_device() const { return cuda_device_; }
  [[nodiscard]] Precision precision() const { return options_.precision; }
  [[nodiscard]] std::int64_t device_memory_bytes() const { return options_.device_memory_bytes; }

  /// The random stream of one purpose, e.g. random("adam.shuffle", epoch).
  [[nodiscard]] Random random(std::string_view purpose, std::uint64_t index = 0) const {
    return {options_.seed, purpose, index};
  }

  /// The same threads, budget, progress and cancellation, with another seed.
  [[nodiscard]] Context with_seed(std::uint64_t seed) const {
    Context other = *this;
    other.options_.seed = seed;
    return other;
  }
  /// The same with another budget.
  [[nodiscard]] Context with_memory(std::int64_t bytes) const {
    Context other = *this;
    other.options_.memory_bytes = bytes;
    return other;
  }

  /// The same with another receiver of progress.
  [[nodiscard]] Context with_progress(std::function<void(const Progress&)> progress) const {
    Context other = *this;
    other.options_.progress = std::move(progress);
    return other;
  }

  /// The other processes of the job; null if there are none.
  [[nodiscard]] Communicator* ranks() const { return options_.ranks.get(); }
  /// Whether the rows of the matrices that a computation gets are divided among the ranks
  /// (runtime/ranks.hpp). Otherwise every rank has all rows and computes the same.
  [[nodiscard]] bool shares_rows() const { return shares_rows_; }
  /// The same with rows divided among the ranks, if there are several.
  [[nodiscard]] Context with_shared_rows() const {
    Context other = *this;
    other.shares_rows_ = ranks() != nullptr;
    return other;
  }
  /// The same among other ranks, or, if null, for this process alone: cancel() asks these to stop,
  /// too, but they agree on it by themselves.
  [[nodiscard]] Context with_ranks(std::shared_ptr<Communicator> ranks) const;
  /// The same with all rows on every rank.
  [[nodiscard]] Context with_all_rows() const {
    Context other = *this;
    other.shares_rows_ = false;
    return other;
  }

  /// Passes the report on. Ranks that compute the same also agree here on whether to stop.
  void report(const Progress& progress) const {
    notify(progress);
    if (ranks() != nullptr && !shares_rows_) agree_to_stop();
  }
  /// Only passes it on: for reports that ranks do not make at the same points.
  void notify(const Progress& progress) const {
    if (options_.progress) options_.progress(progress);
  }

  /// Asks running computations to stop. Safe in a signal handler. Shared by copies of the context.
  /// Among several ranks it takes effect when they agree on it, which they do with every sum: all
  /// of them then stop at the same point.
  void cancel() const noexcept { stop_wanted_->store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool cancelled() const noexcept {
    return (options_.ranks ? stop_agreed_ : stop_wanted_)->load(std::memory_order_relaxed);
  }
  /// Whether cancel() was called on this rank.
  [[nodiscard]] bool wants_to_stop() const noexcept {
    return stop_wanted_->load(std::memory_order_relaxed);
  }
  /// All ranks: stops if any of them wants to.
  void agree_to_stop() const;
  void stop_as_agreed() const noexcept { stop_agreed_->store(true, std::memory_order_relaxed); }
  void clear_cancel() const noexcept {
    stop_wanted_->store(false, std::memory_order_relaxed);
    stop_agreed_->store(false, std::memory_order_relaxed);
  }
  /// Throws Cancelled if cancel() was called.
  void check_cancelled() const;

 private:
  ContextOptions options_;
  int threads_;
  std::optional<int> cuda_device_;
  std::shared_ptr<std::atomic<bool>> stop_wanted_;  // by this process
  std::shared_ptr<std::atomic<bool>> stop_agreed_;  // by the ranks
  bool shares_rows_ = false;
};

}  // namespace krica
