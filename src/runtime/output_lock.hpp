// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "krica/runtime/library.hpp"

namespace krica {

/// The right to write an output, held until destruction: a second process that asks for it is
/// refused. The system gives the right back when a process ends, however that happens: a killed one
/// leaves at most an empty file, PATH.lock, which locks nothing and goes away with the next lock.
class KRICA_EXPORT OutputLock {
 public:
  /// Also removes what killed writes have left beside the output (see AtomicFile). Throws IoError
  /// where another process holds the lock.
  explicit OutputLock(std::filesystem::path output);
  ~OutputLock();
  OutputLock(OutputLock&& other) noexcept;
  OutputLock& operator=(OutputLock&&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace krica
