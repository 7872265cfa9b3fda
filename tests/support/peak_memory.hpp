// SPDX-License-Identifier: BSD-3-Clause
//
// How much memory a piece of code takes at its peak, by the kernel's account.
#pragma once

#include <fstream>
#include <string>

#include "krica/runtime/matrix.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define KRICA_TEST_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KRICA_TEST_SANITIZED
#endif

namespace krica::support {

/// A field of /proc/self/status in bytes; -1 where there is none.
inline std::int64_t status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return std::stoll(line.substr(field.size() + 1)) * 1024;
  }
  return -1;
}

/// Not under sanitizers, which hold memory of their own.
inline bool can_measure_memory() {
#ifdef KRICA_TEST_SANITIZED
  return false;
#else
  return status_bytes("VmRSS") >= 0;
#endif
}

/// The peak since this was made, beyond what was held then.
class PeakMemory {
 public:
  /// Sets the peak back to what is held now. Where the kernel does not allow it the peak of earlier
  /// tests stays, which can only make a test stricter.
  PeakMemory() {
    std::ofstream("/proc/self/clear_refs") << "5";
    before_ = status_bytes("VmRSS");
  }
  [[nodiscard]] std::int64_t bytes() const { return status_bytes("VmHWM") - before_; }

 private:
  std::int64_t before_ = 0;
};

}  // namespace krica::support
