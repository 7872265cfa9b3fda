// SPDX-License-Identifier: BSD-3-Clause
//
// DeviceError: what a device refused, and what the caller can do about it.
#pragma once

#include <stdexcept>
#include <string>

namespace krica::device {

enum class Trouble {
  kNoDevice,     ///< none, none with compute capability 9.0, or a build without CUDA
  kOutOfMemory,  ///< on the device
  kUnsupported,  ///< no kernel for these sizes; the CPU can
  kFailed,       ///< anything else that CUDA reports
};

class DeviceError : public std::runtime_error {
 public:
  DeviceError(Trouble trouble, const std::string& what) : runtime_error(what), trouble_(trouble) {}
  [[nodiscard]] Trouble trouble() const { return trouble_; }

 private:
  Trouble trouble_;
};

}  // namespace krica::device
