// SPDX-License-Identifier: BSD-3-Clause
//
// krica._core: the library as it is. What Python's users call is built on it in python/krica.
#include <pybind11/pybind11.h>

#include <string>

#include "bindings.hpp"
#include "errors.hpp"
#include "krica/runtime/library.hpp"
#include "options.hpp"

PYBIND11_MODULE(_core, module) {
  namespace py = pybind11;
  module.doc() = "The C++ library krica.";
  module.attr("__version__") = std::string(krica::version());
  krica::python::register_errors();
  krica::python::bind_options(module);
  krica::python::bind_model(module);
  krica::python::bind_training(module);
  krica::python::bind_objectives(module);
}
