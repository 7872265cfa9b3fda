// SPDX-License-Identifier: BSD-3-Clause
//
// Progress on standard error. On a terminal: one line that is redrawn in place, with a bar and the
// time left for the current stage, and cleared before anything else is printed. Elsewhere: one line
// every ten seconds.
#pragma once

#include <chrono>
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
  void draw(const Progress& progress, Clock::time_point now);
  void say(const Progress& progress);

  bool terminal_;
  std::string stage_;
  std::int64_t first_step_ = 0;
  Clock::time_point stage_start_;
  Clock::time_point last_shown_;
};

/// What the following stages are part of, such as "fold 2 of 5"; shown before them.
void set_progress_prefix(const std::string& prefix);

}  // namespace krica::cli
