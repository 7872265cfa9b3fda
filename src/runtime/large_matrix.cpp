// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/large_matrix.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <new>

#include "runtime/communicator.hpp"
#include "runtime/unnamed_file.hpp"

namespace krica {
namespace {

/// Pages of files that are resident in this process.
std::int64_t resident_file_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  long total = 0;
  long resident = 0;
  long shared = 0;
  const int found = std::fscanf(file, "%ld %ld %ld", &total, &resident, &shared);
  std::fclose(file);
  return found == 3 ? std::int64_t{shared} * ::sysconf(_SC_PAGESIZE) : 0;
}

/// The mappings of which only a part may be resident.
class Residents {
 public:
  static Residents& of_process() {
    static auto* residents = made();  // never destroyed: threads may outlive main()
    return *residents;
  }

  void add(void* memory, std::size_t bytes, std::int64_t limit) {
    const std::lock_guard lock(mutex_);
    if (mappings_.empty()) others_ = resident_file_bytes();
    mappings_[memory] = {bytes, limit};
    any_.store(true, std::memory_order_relaxed);
  }

  void remove(void* memory) {
    const std::lock_guard lock(mutex_);
    mappings_.erase(memory);
    any_.store(!mappings_.empty(), std::memory_order_relaxed);
  }

  void release_when_due() {
    if (!any_.load(std::memory_order_relaxed)) return;
    const std::int64_t now = std::chrono::steady_clock::now().time_since_epoch().count();
    std::int64_t next = next_.load(std::memory_order_relaxed);
    if (now >= next && next_.compare_exchange_strong(next, now + kPause.count())) release_now();
  }

  /// Waits while another thread gives pages back: on a busy machine that thread may be suspended
  /// meanwhile, and nobody else bounds what this one would bring in.
  void release_now() {
    if (!any_.load(std::memory_order_relaxed)) return;
    const std::lock_guard lock(mutex_);
    if (!mappings_.empty()) release();
  }

 private:
  struct Mapping {
    std::size_t bytes;
    std::int64_t limit;
  };
  static constexpr std::chrono::nanoseconds kPause = std::chrono::microseconds(250);

  /// A child forked while another thread holds the mutex would find it locked forever.
  static Residents* made() {
    static Residents* residents = nullptr;
    residents = new Residents;
    ::pthread_atfork([] { residents->mutex_.lock(); }, [] { residents->mutex_.unlock(); },
                     [] { residents->mutex_.unlock(); });
    return residents;
  }

  /// Nothing is lost: these are shared mappings, whose pages stay with the file.
  void release() {
    std::int64_t least = mappings_.begin()->second.limit;
    for (const auto& [memory, mapping] : mappings_) least = std::min(least, mapping.limit);
    if (resident_file_bytes() - others_ <= least) return;
    for (const auto& [memory, mapping] : mappings_) ::madvise(memory, mapping.bytes, MADV_DONTNEED);
  }

  std::mutex mutex_;
  std::map<void*, Mapping> mappings_;
  std::int64_t others_ = 0;  // libraries and the like
  std::atomic<bool> any_{false};
  std::atomic<std::int64_t> next_{0};
};

/// A temporary file of zeros. A sparse one takes room as it is written.
int file_of_zeros(std::size_t bytes, bool sparse) {
  const int descriptor = open_unnamed_file("memory", bytes);
  const auto size = static_cast<off_t>(bytes);
  int error = 0;
  if (sparse) {
    error = ::ftruncate(descriptor, size) == 0 ? 0 : errno;
  } else {
    error = ::posix_fallocate(descriptor, 0, size);
  }
  if (error != 0) {
    ::close(descriptor);
    no_room_in_temporary_directory("memory", bytes, error);
  }
  return descriptor;
}

/// The bytes that large_memory() has given and that are not in files.
std::atomic<std::int64_t> bytes_in_memory{0};

/// Counts the bytes, unless there would be more than `limit`.
bool take_memory(std::int64_t bytes, std::int64_t limit) {
  std::int64_t taken = bytes_in_memory.load();
  do {
    if (bytes > limit - taken) return false;
  } while (!bytes_in_memory.compare_exchange_weak(taken, taken + bytes));
  return true;
}

void* mapped(int descriptor, std::size_t bytes, int flags = 0) {
  void* memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
             descriptor >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | flags, descriptor, 0);
  if (descriptor >= 0) ::close(descriptor);
  return memory;
}

/// About what a rank uses of a matrix whose rows are divided among the ranks.
std::size_t used_by_rank(const Context& context, std::size_t bytes) {
  return bytes / static_cast<std::size_t>(context.ranks()->size()) + bytes / 16;
}

/// Zeros, of which `used` bytes are counted already.
std::shared_ptr<float[]> counted_memory(std::size_t bytes, std::size_t used) {
  void* memory = mapped(-1, bytes, used < bytes ? MAP_NORESERVE : 0);
  if (memory == MAP_FAILED) {
    bytes_in_memory -= static_cast<std::int64_t>(used);
    throw std::bad_alloc();
  }
  return {static_cast<float*>(memory), [bytes, used](float* mapping) {
            ::munmap(mapping, bytes);
            bytes_in_memory -= static_cast<std::int64_t>(used);
          }};
}

}  // namespace

void release_pages() { Residents::of_process().release_now(); }

void release_pages_when_due() { Residents::of_process().release_when_due(); }

std::shared_ptr<float[]> map_file(const Context& context, int descriptor, std::size_t bytes) {
  void* memory = mapped(descriptor, bytes);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  std::shared_ptr<float[]> owner(static_cast<float*>(memory), [bytes](float* mapping) {
    Residents::of_process().remove(mapping);
    ::munmap(mapping, bytes);
  });
  Residents::of_process().add(memory, bytes, context.memory_bytes() / 4);
  return owner;
}

std::pair<std::shared_ptr<float[]>, bool> large_memory(const Context& context, std::size_t bytes) {
  if (bytes == 0) return {};
  // A rank uses its share of the rows, and some that follow them (runtime/ranks.hpp).
  const bool shares = context.shares_rows();
  const std::size_t used = shares ? used_by_rank(context, bytes) : bytes;
  if (take_memory(static_cast<std::int64_t>(used), context.memory_bytes() / 2))
    return {counted_memory(bytes, used), false};
  return {map_file(context, file_of_zeros(bytes, shares), bytes), true};
}

LargeMatrix::LargeMatrix(const Context& context, Index rows, Index cols)
    : rows_(rows),
      cols_(cols),
      memory_(large_memory(context, sizeof(float) * static_cast<std::size_t>(rows * cols)).first) {}

}  // namespace krica
