// SPDX-License-Identifier: BSD-3-Clause
#include "features/pool_power.hpp"

#include <algorithm>
#include <cmath>

namespace krica {
namespace {

constexpr double kShift = 1e-6;  // δ

}  // namespace

template <class Scalar>
void raise_to_power(double power, Scalar* values, Scalar* derivatives, Index count) {
  if (power == 1) {
    if (derivatives != nullptr) std::fill(derivatives, derivatives + count, Scalar(1));
    return;
  }
  const auto p = static_cast<Scalar>(power);
  const auto shift = static_cast<Scalar>(kShift);
  const auto centre = static_cast<Scalar>(std::pow(kShift, power));
  for (Index j = 0; j < count; ++j) {
    const Scalar base = std::abs(values[j]) + shift;
    const Scalar raised = power == 0.5 ? std::sqrt(base) : std::pow(base, p);
    values[j] = values[j] < 0 ? 2 * centre - raised : raised;
    if (derivatives != nullptr) derivatives[j] = p * raised / base;
  }
}

template void raise_to_power(double, float*, float*, Index);
template void raise_to_power(double, double*, double*, Index);

}  // namespace krica
