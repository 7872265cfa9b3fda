// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <new>
#include <stdexcept>
#include <string>

namespace krica {

/// The system refused memory that is required; the message says what for and what helps.
class OutOfMemory : public std::bad_alloc {
 public:
  // NOLINTNEXTLINE(bugprone-throw-keyword-missing): the text, not an exception of its own
  explicit OutOfMemory(const std::string& what) : what_(what) {}
  [[nodiscard]] const char* what() const noexcept override { return what_.what(); }

 private:
  std::runtime_error what_;  // its copies share the text
};

}  // namespace krica
