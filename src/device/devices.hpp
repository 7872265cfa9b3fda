// SPDX-License-Identifier: BSD-3-Clause
//
// Which CUDA devices there are, and whether the kernels run on them: they are compiled for sm_90a,
// which is compute capability 9.0 (Hopper) alone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace krica::device {

/// Whether this build has CUDA (CMake's KRICA_CUDA).
bool built_with_cuda();

struct Device {
  std::string name;
  std::size_t memory_bytes = 0;
  int major = 0;  ///< compute capability major.minor
  int minor = 0;
  std::string unusable;  ///< why the kernels do not run on it; empty where they do
};

struct DeviceList {
  std::vector<Device> devices;
  std::string why_none;  ///< where there are none
};
/// Never throws for want of a device or driver.
DeviceList list_devices();

/// Empty where the kernels run on this compute capability.
std::string why_unusable(int major, int minor);

struct DeviceFacts {
  int processors = 0;
  int shared_bytes = 0;  ///< the most that a block may have
};
/// Of the current device. Throws DeviceError (kNoDevice) where the kernels do not run on it.
DeviceFacts device_facts();

/// Waits for everything queued on the current device. Throws DeviceError.
void wait_for_device();

}  // namespace krica::device
