// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "session.hpp"

namespace krica::cli {
namespace {

constexpr int kBarWidth = 28;
constexpr std::chrono::milliseconds kBetweenDrawings{100};
constexpr std::chrono::seconds kBetweenLines{5};

bool line_open = false;  // a bar is being drawn and its line has not ended

std::string duration(double seconds) {
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string loss_of(const Progress& progress) {
  const std::string note = progress.note.empty() ? "" : fmt::format("  {}", progress.note);
  return progress.value == 0 ? note : fmt::format("  {:.5g}{}", progress.value, note);
}

}  // namespace

void end_progress_line() {
  if (!line_open) return;
  fmt::print(stderr, "\n");
  line_open = false;
}

ProgressPrinter::ProgressPrinter() : terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressPrinter::operator()(const Progress& progress) {
  const auto now = Clock::now();
  if (progress.stage != stage_) begin_stage(progress);
  const bool last = progress.total > 0 && progress.step >= progress.total;
  const double part = progress.total > 0
                          ? static_cast<double>(progress.step) / static_cast<double>(progress.total)
                          : 0.0;
  const auto pause = terminal_ ? Clock::duration(kBetweenDrawings) : Clock::duration(kBetweenLines);
  if (!last && now - last_shown_ < pause) return;
  last_shown_ = now;
  if (terminal_) {
    draw(progress, part, now);
    if (last) end_progress_line();
  } else {
    say(progress, part);
  }
}

void ProgressPrinter::begin_stage(const Progress& progress) {
  end_progress_line();
  stage_ = std::string(progress.stage);
  first_step_ = progress.step;
  stage_start_ = Clock::now();
  last_shown_ = terminal_ ? Clock::time_point{} : Clock::now();
}

void ProgressPrinter::draw(const Progress& progress, double part, Clock::time_point now) {
  const double elapsed = std::chrono::duration<double>(now - stage_start_).count();
  const auto done = static_cast<double>(progress.step - first_step_);
  const auto left = static_cast<double>(progress.total - progress.step);
  const std::string eta =
      done > 0 && left > 0 ? duration(elapsed / done * left) + " left" : duration(elapsed);
  const int filled = std::clamp(static_cast<int>(part * kBarWidth), 0, kBarWidth);
  fmt::print(stderr, "\r{:<12} [{:#<{}}{:.<{}}] {:3.0f} %  {}{}\033[K", stage_, "", filled, "",
             kBarWidth - filled, 100 * part, eta, loss_of(progress));
  line_open = true;
}

void ProgressPrinter::say(const Progress& progress, double part) {
  fmt::print(stderr, "{}: {} of {} ({:.0f} %){}\n", stage_, progress.step, progress.total,
             100 * part, loss_of(progress));
}

}  // namespace krica::cli
