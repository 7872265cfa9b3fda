// SPDX-License-Identifier: BSD-3-Clause
//
// A step length that satisfies the strong Wolfe conditions on φ(t) = f(x + t d):
//   φ(t) <= φ(0) + c₁ t φ'(0)   and   |φ'(t)| <= c₂ |φ'(0)|.
// Moré and Thuente, ACM TOMS 20(3), 1994: an interval known to contain such a step is narrowed by
// cubic and quadratic interpolation. The caller evaluates φ; this class proposes steps.
#pragma once

namespace krica {

struct WolfeLimits {
  double sufficient_decrease;  // c₁
  double curvature;            // c₂
  double longest_step = 1e20;
};

class WolfeSearch {
 public:
  enum class Outcome {
    kEvaluate,   // evaluate φ at step() and call again
    kSatisfied,  // step() satisfies both conditions
    kStuck,      // rounding leaves no room to improve
  };

  /// slope = φ'(0) < 0; first_step > 0.
  WolfeSearch(WolfeLimits limits, double value, double slope, double first_step);

  [[nodiscard]] double step() const { return step_; }

  /// Call with φ and φ' at step(). Both must be finite.
  Outcome advance(double value, double slope);

  /// Call if φ is not finite at step(): retreats towards the best step so far.
  Outcome retreat();

 private:
  struct Point {
    double step;
    double value;
    double slope;
  };

  void choose_next(const Point& trial);
  /// Bounds the next step; false if rounding leaves no room for it.
  bool force_shrinking();
  [[nodiscard]] double interpolate(const Point& best, const Point& other, const Point& trial) const;

  WolfeLimits limits_;
  double start_value_;
  double decrease_slope_;  // c₁ φ'(0)
  double start_slope_;
  Point best_;   // the end of the interval with the lowest value
  Point other_;  // its other end
  double step_;
  double lowest_ = 0;  // bounds on the next step
  double highest_;
  double longest_;
  double width_;
  double previous_width_;
  bool bracketed_ = false;
  bool walled_ = false;  // φ is not finite at longest_
  bool first_stage_ = true;
};

}  // namespace krica
