// SPDX-License-Identifier: BSD-3-Clause
#include "report/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace krica {
namespace {

constexpr double kRoom = 0.05;  // margin beyond the values, as a fraction of the range
constexpr double kTicks = 5;    // approximate number

/// 1, 2 or 5 times a power of ten, close to range / kTicks.
double nice_step(double range) {
  const double raw = range / kTicks;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) return factor * power;
  }
  return 10 * power;
}

}  // namespace

Axis::Axis(double lowest, double highest, double first, double last, bool logarithmic)
    : first_(first), last_(last), logarithmic_(logarithmic) {
  low_ = scaled(lowest);
  high_ = scaled(highest);
  const double range = high_ - low_;
  // A single value still needs a range.
  const double room = range > 0 ? kRoom * range : std::max(0.5, 0.01 * std::abs(low_));
  low_ -= room;
  high_ += room;
}

double Axis::scaled(double value) const { return logarithmic_ ? std::log10(value) : value; }

double Axis::place(double value) const {
  return first_ + (scaled(value) - low_) / (high_ - low_) * (last_ - first_);
}

std::vector<double> Axis::ticks() const {
  std::vector<double> ticks;
  if (!logarithmic_) {
    const double step = nice_step(high_ - low_);
    const double first = std::ceil(low_ / step);
    for (int i = 0; (first + i) * step <= high_; ++i) ticks.push_back((first + i) * step);
    return ticks;
  }
  // Powers of ten; over less than two decades also 2 and 5 times those.
  const bool fine = high_ - low_ < 2;
  const int every = std::max(1, static_cast<int>(std::ceil((high_ - low_) / 7)));
  for (int power = static_cast<int>(std::floor(low_)); power <= high_; power += every) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10.0, power);
      if ((fine || factor == 1) && std::log10(tick) >= low_ && std::log10(tick) <= high_)
        ticks.push_back(tick);
    }
  }
  return ticks;
}

std::string tick_label(double value) { return fmt::format("{:.6g}", value); }

}  // namespace krica
