// SPDX-License-Identifier: BSD-3-Clause
//
// The six kernels with parameters that suit support::random_problem, and their names in tests.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "krica/kernels/kernel.hpp"

namespace krica::support {

inline constexpr std::array kAllKernels = {
    KernelKind::kLinear,
    KernelKind::kGaussian,
    KernelKind::kPolynomial,
    KernelKind::kInverseDistance,
    KernelKind::kInverseSquareDistance,
    KernelKind::kHistogramIntersection,
};

inline Kernel kernel_of(KernelKind kind) {
  return {.kind = kind, .gamma = 0.7, .degree = 3, .scale = 0.8};
}

/// Letters and digits only, as GoogleTest wants them.
inline std::string test_name(std::string name) {
  std::erase_if(name, [](char c) { return c == '-' || c == ' '; });
  return name;
}
inline std::string test_name(KernelKind kind) { return test_name(std::string(name_of(kind))); }

}  // namespace krica::support
