// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "krica/runtime/library.hpp"

namespace krica {

/// Exclusive access to an output until destruction: a second process that asks for it is rejected.
/// The system releases the lock when the process ends, for whatever reason: a killed process leaves
/// at most an empty file, PATH.lock, which locks nothing and is removed with the next lock.
class KRICA_EXPORT OutputLock {
 public:
  /// Also removes temporary files of killed writes next to the output (see AtomicFile). Throws
  /// IoError if another process holds the lock.
  explicit OutputLock(const std::filesystem::path& output);
  ~OutputLock();
  OutputLock(OutputLock&& other) noexcept;
  OutputLock& operator=(OutputLock&&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace krica
