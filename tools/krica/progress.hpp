// SPDX-License-Identifier: BSD-3-Clause
//
// Progress on standard error: a bar with the time left on a terminal, a line now and then
// elsewhere.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "krica/runtime/context.hpp"

namespace krica::cli {

class ProgressPrinter {
 public:
  ProgressPrinter();
  void operator()(const Progress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  void begin_stage(const Progress& progress);
  void draw(const Progress& progress, double part, Clock::time_point now);
  void say(const Progress& progress, double part);

  bool terminal_;
  std::string stage_;
  std::int64_t first_step_ = 0;
  Clock::time_point stage_start_;
  Clock::time_point last_shown_;
};

}  // namespace krica::cli
