// SPDX-License-Identifier: BSD-3-Clause
//
// Pace: progress of work of which every rank does its share without waiting for the others. The
// first rank reports how far the slowest is; when it is done itself, it goes on reporting until all
// are. Ranks send words about it (Communicator::tell_first), at most ten a second each.
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
  /// Tells the first rank that it need not wait for this one, also if this one failed.
  ~Pace();

  /// This rank has done so many of its steps.
  void reach(Index step);
  /// This rank is done. The first one waits for the others.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void tell(double part);
  void hear();
  void report(std::string_view note) const;
  /// Other ranks that are not done.
  [[nodiscard]] int waited_for() const;

  const Context& context_;
  std::string_view stage_;
  Index steps_;
  bool told_ = false;  // that this rank is done
  std::uint64_t number_ = 0;
  Clock::time_point last_told_;
  std::vector<double> parts_;  // of their shares that ranks have done; on the first rank
};

}  // namespace krica
