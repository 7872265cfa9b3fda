// SPDX-License-Identifier: BSD-3-Clause
//
// What can go wrong, and what each kind means to the caller:
//   InvalidArgument   the call is wrong: an option, a shape, a value (is-a std::invalid_argument)
//   DataError         a file's content is wrong (is-a std::runtime_error)
//   IoError           the file system refused (is-a std::runtime_error)
//   OutOfMemory       the system refused memory that has to be there (is-a std::bad_alloc)
//   Cancelled         Context::cancel() was called while a direct call was computing; solvers catch
//                     it themselves and return Status::kCancelled
// Messages start with the operation in brackets and carry the values: "[rica] sparsity must be >=
// 0, got -1". Not converging is never an exception: solvers return a status and their best iterate.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

namespace krica {

class InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(const std::string& what) : what_(what) {}
  [[nodiscard]] const char* what() const noexcept override { return what_.what(); }

 private:
  std::runtime_error what_;  // whose copies share the text
};

class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

}  // namespace krica
