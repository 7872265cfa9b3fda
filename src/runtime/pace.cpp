// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/pace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "runtime/ranks.hpp"

namespace krica {
namespace {

constexpr std::chrono::milliseconds kBetweenWords{100};
constexpr std::chrono::milliseconds kBetweenLooks{1};

// A word: the stage's number, and the part of its share that the rank has done.
constexpr int kPartBits = 32;
constexpr double kWhole = static_cast<double>(std::uint64_t{1} << (kPartBits - 1));

std::uint64_t word_of(std::uint64_t stage, double part) {
  return stage << kPartBits | static_cast<std::uint64_t>(std::llround(part * kWhole));
}

}  // namespace

Pace::Pace(const Context& context, std::string_view stage, Index steps)
    : context_(context), stage_(stage), steps_(steps), last_told_(Clock::now()) {
  if (!context_.shares_rows()) return;
  number_ = context_.ranks()->next_number();
  if (is_first(context_)) parts_.assign(static_cast<std::size_t>(context_.ranks()->size()), 0);
}

Pace::~Pace() { tell(1); }

void Pace::reach(Index step) {
  const double part = static_cast<double>(step) / static_cast<double>(std::max<Index>(1, steps_));
  if (!context_.shares_rows()) {
    context_.notify({stage_, step, steps_, 0});
  } else if (is_first(context_)) {
    parts_[0] = part;
    hear();
    report({});
  } else if (Clock::now() - last_told_ >= kBetweenWords) {
    last_told_ = Clock::now();
    tell(std::min(part, 1 - 1 / kWhole));  // it may still fail, so it is not done
  }
}

void Pace::finish() {
  tell(1);
  if (!context_.shares_rows() || !is_first(context_)) return;
  parts_[0] = 1;
  for (hear(); waited_for() > 0 && !context_.wants_to_stop(); hear()) {
    report(fmt::format("waiting for {} of {} processes", waited_for(), parts_.size()));
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

void Pace::tell(double part) {
  if (told_ || !context_.shares_rows() || is_first(context_)) return;
  told_ = part == 1;
  context_.ranks()->tell_first(word_of(number_, part));
}

void Pace::hear() {
  context_.ranks()->hear([&](int rank, std::uint64_t word) {
    if (word >> kPartBits != number_) return;  // of a stage that the first rank left by an error
    const auto part = static_cast<double>(word & ((std::uint64_t{1} << kPartBits) - 1)) / kWhole;
    parts_[static_cast<std::size_t>(rank)] = part;
  });
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
