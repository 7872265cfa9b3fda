// SPDX-License-Identifier: BSD-3-Clause
//
// For tests that run kernels.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "device/devices.hpp"

namespace krica::device {

inline bool has_device() {
  const DeviceList list = list_devices();
  return !list.devices.empty() && list.devices.front().unusable.empty();
}

/// Suites of this kind are skipped where the kernels cannot run.
class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
  }
};

/// ‖a - b‖ / ‖b‖; NaN where a holds one.
inline double distance(const float* a, const std::vector<double>& b) {
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    error += (static_cast<double>(a[i]) - b[i]) * (static_cast<double>(a[i]) - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(error / (size + 1e-30));
}

}  // namespace krica::device
