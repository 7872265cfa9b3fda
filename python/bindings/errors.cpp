// SPDX-License-Identifier: BSD-3-Clause
#include "errors.hpp"

#include <pybind11/pybind11.h>

#include "krica/runtime/error.hpp"

namespace krica::python {

namespace py = pybind11;

void register_errors() {
  // InvalidArgument is a std::invalid_argument, which pybind11 knows.
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const DataError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const IoError& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    }
  });
}

void with_files(const std::filesystem::path& needed, const std::function<void()>& action) {
  try {
    action();
  } catch (const IoError& error) {
    const bool missing = !std::filesystem::exists(needed);
    PyErr_SetString(missing ? PyExc_FileNotFoundError : PyExc_OSError, error.what());
    throw py::error_already_set();
  }
}

}  // namespace krica::python
