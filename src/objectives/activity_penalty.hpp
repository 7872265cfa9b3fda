// SPDX-License-Identifier: BSD-3-Clause
//
// The Kullback-Leibler divergence KL(ρ ‖ q) of a unit's mean activity q from the target ρ, finite
// for every q: sigmoids of saturated units round to 0 and 1, where it is infinite. Within 1e-8 of
// these it is extended along its tangent, so that value and slope stay consistent.
#pragma once

#include <algorithm>
#include <cmath>

namespace krica {

struct ActivityPenalty {
  double value;
  double slope;  ///< derivative with respect to q
};

inline ActivityPenalty activity_penalty(double target, double mean) {
  constexpr double kMargin = 1e-8;
  const double q = std::clamp(mean, kMargin, 1 - kMargin);
  const double slope = (1 - target) / (1 - q) - target / q;
  const double value =
      target * std::log(target / q) + (1 - target) * std::log((1 - target) / (1 - q));
  return {value + slope * (mean - q), slope};
}

}  // namespace krica
