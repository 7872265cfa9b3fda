// SPDX-License-Identifier: BSD-3-Clause
//
// How Python runs the library's long computations: in a thread of their own and without the
// interpreter's lock, while the calling thread looks for signals. Ctrl-C cancels the computation.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <optional>

#include "krica/runtime/context.hpp"

namespace krica::python {

namespace py = pybind11;

/// What Python says about running: threads, memory in bytes, the device, and a callable for
/// progress or None.
struct RunOptions {
  int threads = 0;
  std::int64_t memory = ContextOptions().memory_bytes;
  std::string device = "cpu";
  std::string precision = "tf32";
  std::int64_t device_memory = 0;  // 0: most of what is free
  py::object callback = py::none();
};

class Running {
 public:
  Running(const RunOptions& options, std::uint64_t seed);

  [[nodiscard]] const Context& context() const { return *context_; }

  /// Does the work. Gives the Python exception that cancelled it: that of a signal handler
  /// (KeyboardInterrupt) or of the callback. Other errors of the work are thrown.
  py::object run(const std::function<void()>& work);
  /// The same; the Python exception is thrown too.
  void run_or_throw(const std::function<void()>& work);

 private:
  void report(const Progress& progress);
  void look_for_signals();
  void stop(py::error_already_set& error);

  py::object callback_;
  std::optional<Context> context_;
  py::object error_ = py::none();
};

}  // namespace krica::python
