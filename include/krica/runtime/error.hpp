// SPDX-License-Identifier: BSD-3-Clause
//
// What can go wrong, and what each kind means to the caller:
//   InvalidArgument   the call is wrong: an option, a shape, a value (is-a std::invalid_argument)
//   DataError         a file's content is wrong (is-a std::runtime_error)
//   IoError           the file system refused (is-a std::runtime_error)
//   Cancelled         Context::cancel() was called while a direct call was computing; solvers catch
//                     it themselves and return Status::kCancelled
// Messages start with the operation in brackets and carry the values: "[rica] sparsity must be >=
// 0, got -1". Not converging is never an exception: solvers return a status and their best iterate.
#pragma once

#include <stdexcept>
#include <string>

#include "krica/runtime/library.hpp"

namespace krica {

class KRICA_EXPORT InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

class KRICA_EXPORT DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class KRICA_EXPORT IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class KRICA_EXPORT Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

}  // namespace krica
