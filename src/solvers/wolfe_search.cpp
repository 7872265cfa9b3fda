// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/wolfe_search.hpp"

#include <algorithm>
#include <cmath>

namespace krica {
namespace {

constexpr double kRelativeWidth = 1e-10;  // a narrower interval counts as a point
constexpr double kShrink = 0.66;          // required shrinkage of the interval in two steps
constexpr double kExtrapolateLeast = 1.1;
constexpr double kExtrapolateMost = 4.0;

/// By comparison, because the product of two small slopes could underflow.
bool opposite_signs(double a, double b) { return (a < 0 && b > 0) || (a > 0 && b < 0); }

/// The minimiser of the cubic through two values and slopes is left + ratio (right - left).
struct Cubic {
  double theta;
  double gamma;

  Cubic(double value_a, double slope_a, double value_b, double slope_b, double distance) {
    theta = 3 * (value_a - value_b) / distance + slope_a + slope_b;
    const double scale = std::max({std::abs(theta), std::abs(slope_a), std::abs(slope_b)});
    const double discriminant =
        (theta / scale) * (theta / scale) - (slope_a / scale) * (slope_b / scale);
    gamma = scale * std::sqrt(std::max(0.0, discriminant));
  }
};

}  // namespace

WolfeSearch::WolfeSearch(WolfeLimits limits, double value, double slope, double first_step)
    : limits_(limits),
      start_value_(value),
      decrease_slope_(limits.sufficient_decrease * slope),
      start_slope_(slope),
      best_{0, value, slope},
      other_{0, value, slope},
      step_(first_step),
      highest_(first_step + kExtrapolateMost * first_step),
      longest_(limits.longest_step),
      width_(limits.longest_step),
      previous_width_(2 * limits.longest_step) {}

WolfeSearch::Outcome WolfeSearch::advance(double value, double slope) {
  const double needed = start_value_ + step_ * decrease_slope_;
  const bool low_enough = value <= needed;
  if (low_enough && std::abs(slope) <= limits_.curvature * -start_slope_)
    return Outcome::kSatisfied;
  if (first_stage_ && low_enough && slope >= 0) first_stage_ = false;
  const Point trial{step_, value, slope};
  if (first_stage_ && value <= best_.value && !low_enough) {
    // Until the decrease is sufficient, interpolate φ minus the required decrease.
    const auto lower = [this](const Point& p) {
      return Point{p.step, p.value - p.step * decrease_slope_, p.slope - decrease_slope_};
    };
    const auto raise = [this](const Point& p) {
      return Point{p.step, p.value + p.step * decrease_slope_, p.slope + decrease_slope_};
    };
    best_ = lower(best_);
    other_ = lower(other_);
    choose_next(lower(trial));
    best_ = raise(best_);
    other_ = raise(other_);
  } else {
    choose_next(trial);
  }
  return force_shrinking() ? Outcome::kEvaluate : Outcome::kStuck;
}

WolfeSearch::Outcome WolfeSearch::retreat() {
  if (step_ > best_.step) longest_ = step_;  // nothing beyond it is known to be finite
  walled_ = true;
  step_ = best_.step + 0.1 * (step_ - best_.step);
  highest_ = std::min(highest_, longest_);
  return std::abs(step_ - best_.step) > kRelativeWidth * std::max(best_.step, 1e-10)
             ? Outcome::kEvaluate
             : Outcome::kStuck;
}

/// Moré and Thuente's four cases (their section 4).
double WolfeSearch::interpolate(const Point& best, const Point& other, const Point& trial) const {
  const double distance = trial.step - best.step;
  const Cubic cubic(best.value, best.slope, trial.value, trial.slope, distance);
  const double secant =
      trial.step + trial.slope / (trial.slope - best.slope) * (best.step - trial.step);
  if (trial.value > best.value) {  // a higher value: the minimum is in between
    const double gamma = distance > 0 ? cubic.gamma : -cubic.gamma;
    const double ratio =
        (gamma - best.slope + cubic.theta) / (gamma - best.slope + gamma + trial.slope);
    const double by_cubic = best.step + ratio * distance;
    const double decline = (best.value - trial.value) / distance + best.slope;
    const double by_quadratic = best.step + best.slope / decline / 2 * distance;
    return std::abs(by_cubic - best.step) < std::abs(by_quadratic - best.step)
               ? by_cubic
               : by_cubic + (by_quadratic - by_cubic) / 2;
  }
  const double gamma = distance > 0 ? -cubic.gamma : cubic.gamma;
  const double top = gamma - trial.slope + cubic.theta;
  if (opposite_signs(trial.slope,
                     best.slope)) {  // slopes of opposite sign: the minimum is in between
    const double by_cubic =
        trial.step + top / (gamma - trial.slope + gamma + best.slope) * (best.step - trial.step);
    return std::abs(by_cubic - trial.step) > std::abs(secant - trial.step) ? by_cubic : secant;
  }
  if (std::abs(trial.slope) < std::abs(best.slope)) {  // a flatter slope: the minimum may be beyond
    const double ratio = top / (gamma + (best.slope - trial.slope) + gamma);
    double by_cubic = trial.step > best.step ? highest_ : lowest_;
    if (ratio < 0 && gamma != 0) by_cubic = trial.step + ratio * (best.step - trial.step);
    const bool cubic_nearer = std::abs(by_cubic - trial.step) < std::abs(secant - trial.step);
    if (!bracketed_) return std::clamp(cubic_nearer ? secant : by_cubic, lowest_, highest_);
    const double next = cubic_nearer ? by_cubic : secant;
    const double bound = trial.step + kShrink * (other.step - trial.step);
    return trial.step > best.step ? std::min(bound, next) : std::max(bound, next);
  }
  if (!bracketed_) return trial.step > best.step ? highest_ : lowest_;
  const Cubic back(trial.value, trial.slope, other.value, other.slope, other.step - trial.step);
  const double back_gamma = trial.step > other.step ? -back.gamma : back.gamma;
  const double ratio = (back_gamma - trial.slope + back.theta) /
                       (back_gamma - trial.slope + back_gamma + other.slope);
  return trial.step + ratio * (other.step - trial.step);
}

void WolfeSearch::choose_next(const Point& trial) {
  const double next = interpolate(best_, other_, trial);
  const bool crossed = opposite_signs(trial.slope, best_.slope);
  if (trial.value > best_.value) {
    bracketed_ = true;
    other_ = trial;
  } else {
    if (crossed) {
      bracketed_ = true;
      other_ = best_;
    }
    best_ = trial;
  }
  step_ = next;
}

bool WolfeSearch::force_shrinking() {
  if (bracketed_) {
    const double width = std::abs(other_.step - best_.step);
    if (width >= kShrink * previous_width_) step_ = best_.step + (other_.step - best_.step) / 2;
    previous_width_ = width_;
    width_ = width;
    lowest_ = std::min(best_.step, other_.step);
    highest_ = std::max(best_.step, other_.step);
  } else {
    lowest_ = step_ + kExtrapolateLeast * (step_ - best_.step);
    highest_ = step_ + kExtrapolateMost * (step_ - best_.step);
  }
  step_ = std::clamp(step_, 0.0, longest_);
  if (walled_ && step_ == longest_) step_ = best_.step + (longest_ - best_.step) / 2;
  return !(bracketed_ && (step_ <= lowest_ || step_ >= highest_ ||
                          highest_ - lowest_ <= kRelativeWidth * highest_));
}

}  // namespace krica
