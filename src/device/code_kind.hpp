// SPDX-License-Identifier: BSD-3-Clause
//
// Which code an atom gives; the equations are in code_math.cuh.
#pragma once

#include "device/host_device.hpp"

namespace krica::device {

enum class CodeKind {
  kGaussian,
  kInverseSquareDistance,
  kInverseDistance,
  kTriangle,
  kLinear,
  kAbs,
  kSoftAbs,
  kPolynomial,
  kSoftThreshold,
  kSigmoid,
};

KRICA_HOST_DEVICE constexpr bool of_distances(CodeKind kind) { return kind <= CodeKind::kTriangle; }
KRICA_HOST_DEVICE constexpr int channels_per_atom(CodeKind kind) {
  return kind == CodeKind::kSoftThreshold ? 2 : 1;
}

}  // namespace krica::device
