// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "session.hpp"
#include "tell.hpp"

namespace krica::cli {
namespace {

constexpr int kBarWidth = 28;
constexpr std::size_t kUsualColumns = 80;
constexpr std::chrono::milliseconds kBetweenDrawings{100};
constexpr std::chrono::seconds kBetweenLines{10};

bool line_open = false;  // a bar is being drawn
std::string shown_prefix;

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

double part_of(const Progress& progress) {
  return progress.total > 0
             ? static_cast<double>(progress.step) / static_cast<double>(progress.total)
             : 0.0;
}

/// A line longer than the terminal could not be redrawn in place.
std::size_t terminal_columns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsualColumns;
}

}  // namespace

void set_progress_prefix(const std::string& prefix) {
  shown_prefix = prefix.empty() ? "" : prefix + ": ";
}

void end_progress_line() {
  if (!line_open) return;
  tell("\r\033[K");
  line_open = false;
}

ProgressPrinter::ProgressPrinter()
    : terminal_(::isatty(STDERR_FILENO) == 1), last_shown_(Clock::now()) {}

void ProgressPrinter::operator()(const Progress& progress) {
  const auto now = Clock::now();
  if (progress.stage != stage_ || progress.step < first_step_) begin_stage(progress);
  const auto pause = terminal_ ? Clock::duration(kBetweenDrawings) : Clock::duration(kBetweenLines);
  if (now - last_shown_ < pause) return;
  last_shown_ = now;
  terminal_ ? draw(progress, now) : say(progress);
}

void ProgressPrinter::begin_stage(const Progress& progress) {
  stage_ = std::string(progress.stage);
  first_step_ = progress.step;
  stage_start_ = Clock::now();
}

void ProgressPrinter::draw(const Progress& progress, Clock::time_point now) {
  const double part = part_of(progress);
  const double elapsed = std::chrono::duration<double>(now - stage_start_).count();
  const auto done = static_cast<double>(progress.step - first_step_);
  const auto left = static_cast<double>(progress.total - progress.step);
  const std::string eta =
      done > 0 && left > 0 ? duration(elapsed / done * left) + " left" : duration(elapsed);
  const int filled = std::clamp(static_cast<int>(part * kBarWidth), 0, kBarWidth);
  std::string line =
      fmt::format("{}{:<12} [{:#<{}}{:.<{}}] {:3.0f} %  {}{}", shown_prefix, stage_, "", filled, "",
                  kBarWidth - filled, 100 * part, eta, loss_of(progress));
  line.resize(std::min(line.size(), terminal_columns() - 1));
  tell("\r{}\033[K", line);
  line_open = true;
}

void ProgressPrinter::say(const Progress& progress) {
  const std::string done = progress.total > 0 ? fmt::format("{} of {} ({:.0f} %)", progress.step,
                                                            progress.total, 100 * part_of(progress))
                                              : fmt::format("{}", progress.step);
  tell("{}{}: {}{}\n", shown_prefix, stage_, done, loss_of(progress));
}

}  // namespace krica::cli
