// SPDX-License-Identifier: BSD-3-Clause
//
// The options of a model as Python sees them: names with '_', open values as "auto".
#pragma once

#include <pybind11/pybind11.h>

#include "models/option_list.hpp"
#include "running.hpp"

namespace krica::python {

namespace py = pybind11;

/// Throws InvalidArgument naming the option for a value of another type and for unknown names.
PipelineOptions options_from(const py::dict& values);
py::dict to_dict(const PipelineOptions& options);

/// From a dict of threads, memory and callback.
RunOptions run_options_from(const py::dict& values);

void bind_options(py::module_& module);

}  // namespace krica::python
