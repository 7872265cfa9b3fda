// SPDX-License-Identifier: BSD-3-Clause
//
// Communicator: the processes ("ranks") that work on one job, usually under MPI (docs/cluster.md).
// Every rank runs the same program and calls the same operations in the same order. Only bytes
// travel; what is added to what, and in which order, is decided elsewhere
// (runtime/ordered_reduce.hpp).
//
// All members are inline, so that an implementation in a library of its own needs no symbol of this
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace krica {

class Communicator {
 public:
  using Bytes = std::vector<std::byte>;

  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  [[nodiscard]] virtual int rank() const = 0;  ///< 0 to size() - 1
  [[nodiscard]] virtual int size() const = 0;

  /// Between two ranks; both block. The receiver knows how many bytes come.
  virtual void send(int to, const void* data, std::size_t bytes) = 0;
  virtual void receive(int from, void* data, std::size_t bytes) = 0;

  // Of all ranks:
  virtual void broadcast(int root, void* data, std::size_t bytes) = 0;
  /// Consecutive blocks, one per rank of sizes[rank] bytes; each rank has its own in place.
  virtual void all_gather(void* data, std::span<const std::size_t> sizes) = 0;
  /// Sends outgoing[r] to rank r; incoming[r], of the right size, receives what r sends.
  virtual void exchange(const std::vector<Bytes>& outgoing, std::vector<Bytes>& incoming) = 0;
  /// The bits that any rank has set.
  virtual std::uint32_t any_of(std::uint32_t bits) = 0;

  /// The ranks with the same number as a communicator of their own, in their order here.
  [[nodiscard]] virtual std::unique_ptr<Communicator> split(int group) = 0;

  // Words, sent without waiting (runtime/pace.hpp):
  /// Leaves a word for another rank.
  virtual void tell(int to, std::uint64_t word) = 0;
  /// Calls heard(rank, word) for words that have arrived, those of one rank in their order.
  virtual void hear(const std::function<void(int, std::uint64_t)>& heard) = 0;

  /// 1, 2, 3 ...: the same on all ranks, if they call it equally often.
  std::uint64_t next_number() { return ++number_; }

  /// Ends the processes of all ranks.
  virtual void abort(int exit_code) = 0;

 private:
  std::uint64_t number_ = 0;
};

}  // namespace krica
