// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel κ of kRICA on a device; the equations are in krica_kernels.cuh.
#pragma once

#include "device/host_device.hpp"

namespace krica::device {

enum class MercerKind { kGaussian, kInverseSquareDistance, kInverseDistance, kLinear, kPolynomial };

KRICA_HOST_DEVICE constexpr bool is_distance(MercerKind kind) {
  return kind <= MercerKind::kInverseDistance;
}

struct Mercer {
  MercerKind kind = MercerKind::kGaussian;
  float gamma = 1;
  float scale = 1;
  int degree = 3;
};

}  // namespace krica::device
