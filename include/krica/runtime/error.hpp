// SPDX-License-Identifier: BSD-3-Clause
//
// The exceptions, and what each means to the caller:
//   InvalidArgument   the call is invalid: an option, a shape, a value (is-a std::invalid_argument)
//   DataError         the content of a file is invalid (is-a std::runtime_error)
//   IoError           a file operation failed (is-a std::runtime_error)
//   DeviceError       the GPU is missing or failed (is-a std::runtime_error)
//   Cancelled         Context::cancel() was called while a direct call was computing; solvers catch
//                     it themselves and return Status::kCancelled
// Messages start with the operation in brackets and include the values: "[rica] sparsity must be >=
// 0, got -1". Failing to converge is never an exception: solvers return a status and their best
// iterate.
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

class KRICA_EXPORT DeviceError : public std::runtime_error {
 public:
  enum class Trouble {
    kNoDevice,     ///< there is no such device, or krica was built without CUDA
    kOutOfMemory,  ///< on the device
    kUnsupported,  ///< the device cannot do this, the CPU can
    kFailed,       ///< anything else that CUDA reports
  };
  DeviceError(Trouble trouble, const std::string& what) : runtime_error(what), trouble_(trouble) {}
  [[nodiscard]] Trouble trouble() const { return trouble_; }

 private:
  Trouble trouble_;
};

class KRICA_EXPORT Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

}  // namespace krica
