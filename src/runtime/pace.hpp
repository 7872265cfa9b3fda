// SPDX-License-Identifier: BSD-3-Clause
//
// Pace: work of which every rank does its share without waiting for the others. The first rank
// reports how far the slowest is; when it is done itself, it goes on reporting until all are. If a
// rank fails or is asked to stop, it tells the others, who stop at their next step instead of
// finishing their shares. Ranks send words for this (Communicator::tell), at most ten a second
// each about progress.
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

#include "krica/runtime/context.hpp"

namespace krica {

class Pace {
 public:
  /// Of all ranks, if they share rows; otherwise only this process's progress is reported.
  /// `steps`: those of this rank's share; the first rank must have some, unless no rank has: then
  /// the ranks that are done are counted.
  Pace(const Context& context, std::string_view stage, Index steps);
  Pace(const Pace&) = delete;
  Pace& operator=(const Pace&) = delete;
  /// Without finish(), which means an error, it tells the other ranks to stop.
  ~Pace();

  /// This rank has done so many of its steps. Throws Cancelled if another rank has stopped: inside
  /// agree(), all then throw what that one did.
  void reach(Index step);
  /// Whether another rank has stopped.
  bool others_stopped();
  /// This rank is done. Waits until all are, or one of them stops.
  void finish();
  /// Tells the other ranks to stop.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;

  void tell(int rank, std::uint32_t news);
  void tell_others(std::uint32_t news);
  void hear();
  void wait_for_others();
  void report(std::string_view note) const;
  /// Whether this rank, which has done its own steps, must wait for others.
  [[nodiscard]] bool waits() const;
  /// Other ranks that are not done; known to the first.
  [[nodiscard]] int waited_for() const;

  const Context& context_;
  std::string_view stage_;
  Index steps_;
  bool finished_ = false;
  bool all_done_ = false;
  bool others_stopped_ = false;
  std::uint64_t number_ = 0;
  Clock::time_point last_told_;
  std::vector<double> parts_;  // of their shares that ranks have done; on the first rank
};

}  // namespace krica
