// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that are threads of the test: what runs under MPI, without MPI.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "krica/runtime/context.hpp"
#include "runtime/communicator.hpp"

namespace krica {

/// Messages on their way, by sender and receiver.
class Mail {
 public:
  explicit Mail(int ranks) : ranks_(ranks) {}
  [[nodiscard]] int ranks() const { return ranks_; }

  void put(int from, int to, const void* data, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(data);
    const std::lock_guard lock(mutex_);
    boxes_[{from, to}].emplace_back(first, first + bytes);
    arrived_.notify_all();
  }
  void tell(int from, int to, std::uint64_t word) {
    const std::lock_guard lock(mutex_);
    news_[{from, to}].push_back(word);
  }
  std::vector<std::uint64_t> news(int from, int to) {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_[{from, to}], {});
  }
  Communicator::Bytes take(int from, int to) {
    std::unique_lock lock(mutex_);
    std::deque<Communicator::Bytes>& box = boxes_[{from, to}];
    arrived_.wait(lock, [&] { return !box.empty(); });
    Communicator::Bytes message = std::move(box.front());
    box.pop_front();
    return message;
  }

 private:
  int ranks_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<int, int>, std::deque<Communicator::Bytes>> boxes_;
  std::map<std::pair<int, int>, std::vector<std::uint64_t>> news_;
};

class ThreadRank final : public Communicator {
 public:
  ThreadRank(Mail& mail, int rank)
      : mail_(mail), addresses_(static_cast<std::size_t>(mail.ranks())), rank_(rank) {
    std::iota(addresses_.begin(), addresses_.end(), 0);
  }
  /// A part of the ranks.
  ThreadRank(Mail& mail, std::vector<int> addresses, int rank)
      : mail_(mail), addresses_(std::move(addresses)), rank_(rank) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return static_cast<int>(addresses_.size()); }

  void send(int to, const void* data, std::size_t bytes) override {
    mail_.put(address(rank_), address(to), data, bytes);
  }
  void receive(int from, void* data, std::size_t bytes) override {
    const Bytes message = mail_.take(address(from), address(rank_));
    if (message.size() != bytes) throw std::logic_error("a message of another size");
    if (bytes > 0) std::memcpy(data, message.data(), bytes);
  }
  void broadcast(int root, void* data, std::size_t bytes) override {
    if (rank_ != root) return receive(root, data, bytes);
    for (int to = 0; to < size(); ++to) {
      if (to != root) send(to, data, bytes);
    }
  }
  void all_gather(void* data, std::span<const std::size_t> sizes) override {
    auto* place = static_cast<std::byte*>(data);
    for (int root = 0; root < size(); ++root) {
      broadcast(root, place, sizes[static_cast<std::size_t>(root)]);
      place += sizes[static_cast<std::size_t>(root)];
    }
  }
  void exchange(const std::vector<Bytes>& outgoing, std::vector<Bytes>& incoming) override {
    for (int to = 0; to < size(); ++to) {
      const Bytes& bytes = outgoing[static_cast<std::size_t>(to)];
      send(to, bytes.data(), bytes.size());
    }
    for (int from = 0; from < size(); ++from) {
      Bytes& bytes = incoming[static_cast<std::size_t>(from)];
      receive(from, bytes.data(), bytes.size());
    }
  }
  std::uint32_t any_of(std::uint32_t bits) override {
    std::vector<std::uint32_t> all(static_cast<std::size_t>(size()));
    all[static_cast<std::size_t>(rank_)] = bits;
    all_gather(all.data(), std::vector<std::size_t>(all.size(), sizeof(bits)));
    for (const std::uint32_t more : all) bits |= more;
    return bits;
  }
  [[nodiscard]] std::unique_ptr<Communicator> split(int group) override {
    std::vector<int> groups(addresses_.size());
    groups[static_cast<std::size_t>(rank_)] = group;
    all_gather(groups.data(), std::vector<std::size_t>(groups.size(), sizeof(int)));
    std::vector<int> members;
    int own = 0;
    for (int r = 0; r < size(); ++r) {
      if (groups[static_cast<std::size_t>(r)] != group) continue;
      if (r == rank_) own = static_cast<int>(members.size());
      members.push_back(address(r));
    }
    return std::make_unique<ThreadRank>(mail_, std::move(members), own);
  }
  void tell(int to, std::uint64_t word) override { mail_.tell(address(rank_), address(to), word); }
  void hear(const std::function<void(int, std::uint64_t)>& heard) override {
    for (int from = 0; from < size(); ++from) {
      for (const std::uint64_t word : mail_.news(address(from), address(rank_))) heard(from, word);
    }
  }
  void abort(int) override {}

 private:
  [[nodiscard]] int address(int rank) const { return addresses_[static_cast<std::size_t>(rank)]; }

  Mail& mail_;
  std::vector<int> addresses_;  // in the mail, by rank
  int rank_;
};

/// On the first rank, inside its job of a farm: waits until so many others are done with theirs.
inline void wait_for_other_jobs(const Context& context, int others) {
  while (others > 0) {
    context.ranks()->hear([&](int, std::uint64_t) { --others; });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Runs body(context) on as many ranks, each with rows divided among them; rethrows the first
/// rank's exception.
inline void on_ranks(int ranks, const ContextOptions& options,
                     const std::function<void(const Context&)>& body) {
  Mail mail(ranks);
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks));
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        ContextOptions own = options;
        own.ranks = std::make_shared<ThreadRank>(mail, rank);
        try {
          body(Context(own).with_shared_rows());
        } catch (...) {
          errors[static_cast<std::size_t>(rank)] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace krica
