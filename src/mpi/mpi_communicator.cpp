// SPDX-License-Identifier: BSD-3-Clause
//
// Communicator over MPI. MPI's own error handler ends the job if MPI fails, for example because a
// rank died.
#include <mpi.h>

#include <algorithm>
#include <exception>
#include <list>
#include <memory>
#include <numeric>

#include "runtime/communicator.hpp"

namespace krica {
namespace {

constexpr int kTag = 1;
constexpr int kWordTag = 2;
constexpr std::size_t kLargestMessage = std::size_t{1} << 30;  // MPI counts with int

/// Calls body(offset, bytes) for pieces that MPI can count.
template <class Body>
void in_pieces(std::size_t bytes, Body body) {
  for (std::size_t done = 0; done < bytes; done += kLargestMessage)
    body(done, static_cast<int>(std::min(kLargestMessage, bytes - done)));
}

class MpiCommunicator final : public Communicator {
 public:
  /// Takes over a communicator.
  explicit MpiCommunicator(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  ~MpiCommunicator() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0) return;
    hear([](int, std::uint64_t) {});  // words of a stage that an error ended
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): started by tell()
    for (Word& told : told_) MPI_Wait(&told.request, MPI_STATUS_IGNORE);
    if (comm_ == MPI_COMM_WORLD) {
      MPI_Finalize();
    } else if (std::uncaught_exceptions() == 0) {  // else other ranks may not come here
      MPI_Comm_free(&comm_);
    }
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  void send(int to, const void* data, std::size_t bytes) override {
    in_pieces(bytes, [&](std::size_t offset, int count) {
      MPI_Send(static_cast<const char*>(data) + offset, count, MPI_BYTE, to, kTag, comm_);
    });
  }
  void receive(int from, void* data, std::size_t bytes) override {
    in_pieces(bytes, [&](std::size_t offset, int count) {
      MPI_Recv(static_cast<char*>(data) + offset, count, MPI_BYTE, from, kTag, comm_,
               MPI_STATUS_IGNORE);
    });
  }

  void broadcast(int root, void* data, std::size_t bytes) override {
    in_pieces(bytes, [&](std::size_t offset, int count) {
      MPI_Bcast(static_cast<char*>(data) + offset, count, MPI_BYTE, root, comm_);
    });
  }

  void all_gather(void* data, std::span<const std::size_t> sizes) override {
    const std::size_t total = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    if (total <= kLargestMessage) {
      std::vector<int> counts(sizes.begin(), sizes.end());
      std::vector<int> places(counts.size(), 0);
      std::partial_sum(counts.begin(), counts.end() - 1, places.begin() + 1);
      MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, counts.data(), places.data(),
                     MPI_BYTE, comm_);
      return;
    }
    auto* place = static_cast<char*>(data);
    for (int root = 0; root < size_; ++root) {
      const std::size_t bytes = sizes[static_cast<std::size_t>(root)];
      broadcast(root, place, bytes);
      place += bytes;
    }
  }

  void exchange(const std::vector<Bytes>& outgoing, std::vector<Bytes>& incoming) override {
    std::vector<MPI_Request> requests;
    for (int r = 0; r < size_; ++r) {
      Bytes& bytes = incoming[static_cast<std::size_t>(r)];
      in_pieces(bytes.size(), [&](std::size_t offset, int count) {
        MPI_Irecv(bytes.data() + offset, count, MPI_BYTE, r, kTag, comm_, &requests.emplace_back());
      });
    }
    for (int r = 0; r < size_; ++r) {
      const Bytes& bytes = outgoing[static_cast<std::size_t>(r)];
      in_pieces(bytes.size(), [&](std::size_t offset, int count) {
        MPI_Isend(bytes.data() + offset, count, MPI_BYTE, r, kTag, comm_, &requests.emplace_back());
      });
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  std::uint32_t any_of(std::uint32_t bits) override {
    MPI_Allreduce(MPI_IN_PLACE, &bits, 1, MPI_UINT32_T, MPI_BOR, comm_);
    return bits;
  }

  [[nodiscard]] std::unique_ptr<Communicator> split(int group) override {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(comm_, group, rank_, &part);
    return std::make_unique<MpiCommunicator>(part);
  }

  void tell(int to, std::uint64_t word) override {
    std::erase_if(told_, [](Word& told) {
      int sent = 0;
      MPI_Test(&told.request, &sent, MPI_STATUS_IGNORE);
      return sent != 0;
    });
    Word& told = told_.emplace_back(Word{word});
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): waited for above, or in the destructor
    MPI_Isend(&told.word, 1, MPI_UINT64_T, to, kWordTag, comm_, &told.request);
  }
  void hear(const std::function<void(int, std::uint64_t)>& heard) override {
    for (;;) {
      int arrived = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, kWordTag, comm_, &arrived, &status);
      if (arrived == 0) return;
      std::uint64_t word = 0;
      MPI_Recv(&word, 1, MPI_UINT64_T, status.MPI_SOURCE, kWordTag, comm_, MPI_STATUS_IGNORE);
      heard(status.MPI_SOURCE, word);
    }
  }

  void abort(int exit_code) override { MPI_Abort(MPI_COMM_WORLD, exit_code); }

 private:
  struct Word {
    std::uint64_t word;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  MPI_Comm comm_;
  std::list<Word> told_;  // which stays in place until it is sent
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace
}  // namespace krica

/// What runtime/launcher.cpp looks for.
extern "C" __attribute__((visibility("default"))) krica::Communicator* krica_mpi_communicator() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  return new krica::MpiCommunicator(MPI_COMM_WORLD);
}
