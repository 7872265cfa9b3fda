// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/pace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <thread>

#include "krica/runtime/error.hpp"
#include "runtime/ranks.hpp"

namespace krica {
namespace {

constexpr std::chrono::milliseconds kBetweenWords{100};
constexpr std::chrono::milliseconds kBetweenLooks{1};

// A word: the stage's number, and the part of its share that the rank has done, or other news.
constexpr int kNewsBits = 32;
constexpr std::uint32_t kWhole = std::uint32_t{1} << 31;
constexpr std::uint32_t kAllDone = kWhole + 1;
constexpr std::uint32_t kStopped = kWhole + 2;

}  // namespace

Pace::Pace(const Context& context, std::string_view stage, Index steps)
    : context_(context), stage_(stage), steps_(steps), last_told_(Clock::now()) {
  if (!context_.shares_rows()) return;
  number_ = context_.ranks()->next_number();
  if (is_first(context_)) parts_.assign(static_cast<std::size_t>(context_.ranks()->size()), 0);
}

Pace::~Pace() {
  if (!finished_) stop();
}

void Pace::reach(Index step) {
  const double part = static_cast<double>(step) / static_cast<double>(std::max<Index>(1, steps_));
  if (!context_.shares_rows()) return context_.notify({stage_, step, steps_, 0});
  if (others_stopped()) throw Cancelled();
  if (is_first(context_)) {
    parts_[0] = part;
    report({});
  } else if (Clock::now() - last_told_ >= kBetweenWords) {
    last_told_ = Clock::now();
    // It may still fail, so it is not done.
    tell(0, std::min(kWhole - 1, static_cast<std::uint32_t>(part * kWhole)));
  }
}

bool Pace::others_stopped() {
  hear();
  return others_stopped_;
}

void Pace::finish() {
  if (context_.shares_rows()) wait_for_others();
  finished_ = true;
}

void Pace::wait_for_others() {
  if (is_first(context_)) {
    parts_[0] = 1;
  } else {
    tell(0, kWhole);
  }
  for (hear(); waits(); hear()) {
    if (context_.wants_to_stop()) return stop();
    if (is_first(context_))
      report(fmt::format("waiting for {} of {} processes", waited_for(), parts_.size()));
    std::this_thread::sleep_for(kBetweenLooks);
  }
  if (is_first(context_) && !others_stopped_) tell_others(kAllDone);
}

void Pace::stop() {
  finished_ = true;
  if (context_.shares_rows() && !others_stopped_) tell_others(kStopped);
}

void Pace::tell(int rank, std::uint32_t news) {
  context_.ranks()->tell(rank, number_ << kNewsBits | news);
}

void Pace::tell_others(std::uint32_t news) {
  for (int rank = 0; rank < context_.ranks()->size(); ++rank) {
    if (rank != context_.ranks()->rank()) tell(rank, news);
  }
}

void Pace::hear() {
  if (!context_.shares_rows()) return;
  context_.ranks()->hear([&](int rank, std::uint64_t word) {
    if (word >> kNewsBits != number_) return;  // of a stage that this rank has left
    const auto news = static_cast<std::uint32_t>(word);
    if (news == kStopped) {
      others_stopped_ = true;
    } else if (news == kAllDone) {
      all_done_ = true;
    } else {
      parts_[static_cast<std::size_t>(rank)] = static_cast<double>(news) / kWhole;
    }
  });
}

bool Pace::waits() const {
  if (others_stopped_) return false;
  return is_first(context_) ? waited_for() > 0 : !all_done_;
}

void Pace::report(std::string_view note) const {
  if (steps_ == 0) {
    const Index ranks = std::ssize(parts_);
    return context_.notify({stage_, ranks - waited_for(), ranks, 0, note});
  }
  const double slowest = *std::min_element(parts_.begin(), parts_.end());
  const auto step = static_cast<Index>(std::llround(slowest * static_cast<double>(steps_)));
  context_.notify({stage_, step, steps_, 0, note});
}

int Pace::waited_for() const {
  return static_cast<int>(
      std::count_if(parts_.begin(), parts_.end(), [](double part) { return part < 1; }));
}

}  // namespace krica
