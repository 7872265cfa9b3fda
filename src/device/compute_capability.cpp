// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "device/devices.hpp"

namespace krica::device {

std::string why_unusable(int major, int minor) {
  if (major == 9 && minor == 0) return "";
  return fmt::format("the kernels need compute capability 9.0 (Hopper), this is {}.{}", major,
                     minor);
}

}  // namespace krica::device
