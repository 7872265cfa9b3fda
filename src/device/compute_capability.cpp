// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "device/devices.hpp"
#include "device/use_device.hpp"

namespace krica::device {

std::string why_unusable(int major, int minor) {
  if (major >= 8) return "";
  return fmt::format("krica needs compute capability 8.0 or newer (Ampere), this is {}.{}", major,
                     minor);
}

Products products_of(Precision precision) {
  switch (precision) {
    case Precision::kFloat32:
      return Products::kFloat32;
    case Precision::kTf32:
      return Products::kTf32;
    default:
      return Products::kBf16;
  }
}

bool has_hopper_kernels(int major, int minor) { return major == 9 && minor == 0; }

}  // namespace krica::device
