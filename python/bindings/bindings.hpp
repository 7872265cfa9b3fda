// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pybind11/pybind11.h>

namespace krica::python {

/// class Model: the trained pipeline.
void bind_model(pybind11::module_& module);
/// train(): a pipeline from arrays.
void bind_training(pybind11::module_& module);
/// krica_value_and_gradient(), rica_value_and_gradient().
void bind_objectives(pybind11::module_& module);

}  // namespace krica::python
