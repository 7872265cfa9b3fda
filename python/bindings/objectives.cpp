// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"
#include "krica/runtime/error.hpp"
#include "running.hpp"

namespace krica::python {
namespace {

template <class Value>
Value get(const py::dict& given, const char* name) {
  try {
    return given[name].cast<Value>();
  } catch (const py::cast_error&) {
    throw InvalidArgument(fmt::format("[objective] {} cannot be {}", name,
                                      py::repr(given[name]).cast<std::string>()));
  }
}

/// None, "topographic", a group size, or K × K weights.
AtomGroups pooling_from(const py::object& given) {
  if (given.is_none()) return AtomGroups::none();
  if (py::isinstance<py::str>(given)) {
    const auto name = given.cast<std::string>();
    if (name == "topographic") return AtomGroups::topographic();
    throw InvalidArgument(fmt::format(
        "[pooling] must be None, 'topographic', a group size or a K x K array, got '{}'", name));
  }
  if (PyIndex_Check(given.ptr()) != 0 && !py::isinstance<py::array>(given))
    return AtomGroups::of_size(py::int_(given).cast<Index>());  // NumPy's whole numbers too
  const auto weights = py::array_t<double, py::array::c_style | py::array::forcecast>(given);
  if (weights.ndim() != 2 || weights.shape(0) != weights.shape(1))
    throw InvalidArgument("[pooling] an array of weights must be K x K");
  return AtomGroups::custom({weights.data(), weights.data() + weights.size()});
}

/// (value, gradient) at W, which must be of the objective's shape and finite.
template <class Scalar>
py::tuple evaluated(Running& running, Objective<Scalar>& objective, ConstMatrixView<Scalar> W) {
  if (W.cols() != objective.cols()) {
    throw InvalidArgument(
        fmt::format("[objective] W has {} columns, X has {}", W.cols(), objective.cols()));
  }
  if (!W.allFinite()) throw InvalidArgument("[objective] W contains NaN or infinity");
  Matrix<Scalar> gradient(W.rows(), W.cols());
  double value = 0;
  running.run_or_throw(
      [&] { value = objective.value_and_gradient(running.context(), W, gradient); });
  return py::make_tuple(value, to_array(std::move(gradient)));
}

struct KricaArguments {
  KricaOptions options;
  bool auto_gamma = false;
  std::vector<int> labels;
};

KricaArguments krica_arguments(const py::dict& given) {
  KricaArguments arguments;
  KricaOptions& options = arguments.options;
  const py::object gamma = given["gamma"];
  arguments.auto_gamma = py::isinstance<py::str>(gamma) && gamma.cast<std::string>() == "auto";
  options.kernel = {.kind = kernel_kind(get<std::string>(given, "kernel")),
                    .gamma = arguments.auto_gamma ? 1.0 : get<double>(given, "gamma"),
                    .degree = get<int>(given, "degree"),
                    .scale = get<double>(given, "kernel_scale")};
  options.sparsity = get<double>(given, "sparsity");
  options.epsilon = get<double>(given, "epsilon");
  options.groups = pooling_from(given["pooling"]);
  options.discrimination = {.weight = get<double>(given, "discrimination"),
                            .reading = discrimination_reading(get<std::string>(given, "reading")),
                            .elastic = get<std::optional<double>>(given, "elastic"),
                            .homogeneous = get<bool>(given, "homogeneous"),
                            .atom_class = get<std::vector<int>>(given, "atom_class")};
  arguments.labels = get<std::vector<int>>(given, "labels");
  return arguments;
}

template <class Scalar>
py::tuple krica_value_and_gradient(const py::array& W, const py::array& X, const py::dict& given) {
  Running running({}, 0);
  const auto basis = view_of<Scalar>(W, "W");
  const auto samples = view_of<Scalar>(X, "X");
  KricaArguments arguments = krica_arguments(given);
  arguments.options.n_components = basis.rows();
  if (arguments.auto_gamma)
    arguments.options.kernel.gamma = auto_gamma<Scalar>(running.context(), samples);
  KricaObjective<Scalar> objective(samples, arguments.options, arguments.labels);
  return evaluated<Scalar>(running, objective, basis);
}

RicaOptions rica_options(const py::dict& given) {
  RicaOptions options;
  options.contrast = contrast(get<std::string>(given, "contrast"));
  options.weight = get<double>(given, "weight");
  options.weight_on = weight_on(get<std::string>(given, "weight_on"));
  options.reduce = reduce(get<std::string>(given, "reduce"));
  options.row_norm = row_norm(get<std::string>(given, "row_norm"));
  options.epsilon = get<double>(given, "epsilon");
  options.groups = pooling_from(given["pooling"]);
  options.sign = get<std::vector<int>>(given, "sign");
  return options;
}

template <class Scalar>
py::tuple rica_value_and_gradient(const py::array& W, const py::array& X, const py::dict& given) {
  Running running({}, 0);
  const auto basis = view_of<Scalar>(W, "W");
  const auto samples = view_of<Scalar>(X, "X");
  RicaOptions options = rica_options(given);
  options.n_components = basis.rows();
  RicaObjective<Scalar> objective(samples, options);
  return evaluated<Scalar>(running, objective, basis);
}

template <class Scalar>
bool holds(const py::array& array) {
  return py::isinstance<py::array_t<Scalar>>(array);
}

py::dict krica_defaults() {
  const KricaOptions options;
  return py::dict(py::arg("kernel") = std::string(name_of(options.kernel.kind)),
                  py::arg("gamma") = options.kernel.gamma,
                  py::arg("degree") = options.kernel.degree,
                  py::arg("kernel_scale") = options.kernel.scale,
                  py::arg("sparsity") = options.sparsity, py::arg("epsilon") = options.epsilon);
}

py::dict rica_defaults() {
  const RicaOptions options;
  return py::dict(py::arg("weight") = options.weight, py::arg("epsilon") = options.epsilon);
}

}  // namespace

void bind_objectives(py::module_& module) {
  module.def(
      "krica_value_and_gradient",
      [](const py::array& W, const py::array& X, const py::dict& options) {
        return holds<float>(W) ? krica_value_and_gradient<float>(W, X, options)
                               : krica_value_and_gradient<double>(W, X, options);
      },
      py::arg("W"), py::arg("X"), py::arg("options"));
  module.def(
      "rica_value_and_gradient",
      [](const py::array& W, const py::array& X, const py::dict& options) {
        return holds<float>(W) ? rica_value_and_gradient<float>(W, X, options)
                               : rica_value_and_gradient<double>(W, X, options);
      },
      py::arg("W"), py::arg("X"), py::arg("options"));
  module.def("krica_defaults", &krica_defaults);
  module.def("rica_defaults", &rica_defaults);
}

}  // namespace krica::python
