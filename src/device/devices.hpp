// SPDX-License-Identifier: BSD-3-Clause
//
// Which CUDA devices there are. Everything runs from compute capability 8.0
// (Ampere) on; 9.0 (Hopper) has faster kernels of its own.
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

/// Empty where krica runs on this compute capability.
std::string why_unusable(int major, int minor);
bool has_hopper_kernels(int major, int minor);

struct DeviceFacts {
  int processors = 0;
  int shared_bytes = 0;  ///< the most that a block may have
  bool hopper = false;   ///< whether it runs the kernels for Hopper
};
/// Of the current device. Throws DeviceError (kNoDevice) where krica does not run on it.
DeviceFacts device_facts();

/// Waits for everything queued on the current device. Throws DeviceError.
void wait_for_device();

}  // namespace krica::device
