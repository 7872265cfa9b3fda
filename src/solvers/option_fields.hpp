// SPDX-License-Identifier: BSD-3-Clause
//
// The options of the solvers, one list per solver: each option with its allowed values and whether
// a resumed run may change it. Validation and the identity of a saved state are derived from the
// lists.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include "krica/runtime/words.hpp"
#include "krica/solvers/adam.hpp"
#include "krica/solvers/fixed_point.hpp"
#include "krica/solvers/lbfgs.hpp"
#include "runtime/check.hpp"

namespace krica {

/// The allowed values of an option, in words and as a test.
struct Bounds {
  std::string_view words;
  bool (*hold)(double) = nullptr;  // null: checked elsewhere
};
inline constexpr Bounds kAny{};
inline constexpr Bounds kNotNegative{">= 0", [](double x) { return x >= 0; }};
inline constexpr Bounds kPositive{"> 0", [](double x) { return x > 0; }};
inline constexpr Bounds kAtLeastOne{">= 1", [](double x) { return x >= 1; }};
inline constexpr Bounds kAtLeastTwo{">= 2", [](double x) { return x >= 2; }};
inline constexpr Bounds kFinitePositive{"finite and > 0",
                                        [](double x) { return std::isfinite(x) && x > 0; }};
inline constexpr Bounds kFiniteNotNegative{"finite and >= 0",
                                           [](double x) { return std::isfinite(x) && x >= 0; }};
inline constexpr Bounds kFromZeroBelowOne{"in [0, 1)", [](double x) { return x >= 0 && x < 1; }};
inline constexpr Bounds kBetweenZeroAndOne{"in (0, 1)", [](double x) { return x > 0 && x < 1; }};

enum class OnResume { kMustAgree, kMayDiffer };

template <class Options, class Which>
concept OptionsOf = std::same_as<std::remove_const_t<Options>, Which>;

// each_field calls visit(name, value, bounds[, on_resume]) for every option. The structured
// bindings must name every option, so that a forgotten one does not compile.

template <OptionsOf<LbfgsOptions> Options, class Visit>
void each_field(Options& options, Visit visit) {
  auto& [max_iterations, history, gradient_tolerance, value_tolerance, value_scale,
         sufficient_decrease, curvature, max_line_search] = options;
  visit("max_iterations", max_iterations, kNotNegative, OnResume::kMayDiffer);
  visit("history", history, kAtLeastOne);
  visit("gradient_tolerance", gradient_tolerance, kNotNegative);
  visit("value_tolerance", value_tolerance, kNotNegative);
  visit("value_scale", value_scale, kNotNegative);
  visit("sufficient_decrease", sufficient_decrease, kBetweenZeroAndOne);
  visit("curvature", curvature, kBetweenZeroAndOne);
  visit("max_line_search", max_line_search, kAtLeastOne);
}

template <OptionsOf<FixedPointOptions> Options, class Visit>
void each_field(Options& options, Visit visit) {
  auto& [max_iterations, gradient_tolerance, value_tolerance, sufficient_decrease, max_halvings] =
      options;
  visit("max_iterations", max_iterations, kNotNegative, OnResume::kMayDiffer);
  visit("gradient_tolerance", gradient_tolerance, kNotNegative);
  visit("value_tolerance", value_tolerance, kNotNegative);
  visit("sufficient_decrease", sufficient_decrease, kBetweenZeroAndOne);
  visit("max_halvings", max_halvings, kAtLeastOne);
}

template <OptionsOf<AdamOptions> Options, class Visit>
void each_field(Options& options, Visit visit) {
  auto& [epochs, batch, rate, schedule, beta1, beta2, epsilon, held_out, held_out_limit, patience,
         min_improvement] = options;
  visit("epochs", epochs, kNotNegative);
  visit("batch", batch, kAtLeastOne);
  visit("rate", rate, kFinitePositive);
  visit("schedule", schedule, kAny);
  visit("beta1", beta1, kFromZeroBelowOne);
  visit("beta2", beta2, kFromZeroBelowOne);
  visit("epsilon", epsilon, kPositive);
  visit("held_out", held_out, kBetweenZeroAndOne);
  visit("held_out_limit", held_out_limit, kAtLeastOne);
  visit("patience", patience, kAtLeastOne);
  visit("min_improvement", min_improvement, kNotNegative);
}

/// Throws InvalidArgument for the first option out of bounds.
template <class Options>
void require_bounds(const Options& options, std::string_view operation) {
  each_field(options, [&](std::string_view name, const auto& value, const Bounds& bounds,
                          OnResume = OnResume::kMustAgree) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>) {
      require(bounds.hold == nullptr || bounds.hold(static_cast<double>(value)), operation,
              "{} must be {}, got {}", name, bounds.words, value);
    }
  });
}

/// "name=value name=value ..." of the options that a resumed run must not change.
template <class Options>
std::string identity_of(const Options& options) {
  std::string text;
  each_field(options, [&](std::string_view name, const auto& value, const Bounds&,
                          OnResume on_resume = OnResume::kMustAgree) {
    if (on_resume == OnResume::kMayDiffer) return;
    if constexpr (Worded<std::remove_cvref_t<decltype(value)>>) {
      text += fmt::format("{}={} ", name, to_words(value));
    } else {
      text += fmt::format("{}={} ", name, value);
    }
  });
  return text;
}

/// The same for runs that depend on a seed.
template <class Options>
std::string identity_of(const Options& options, std::uint64_t seed) {
  return identity_of(options) + fmt::format("seed={}", seed);
}

}  // namespace krica
