// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <type_traits>

#include "krica/runtime/error.hpp"
#include "models/option_list.hpp"

namespace krica::python {
namespace {

constexpr const char* kAuto = "auto";

std::string python_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Python's type of a value, and how messages call it.
struct Kind {
  const char* type;
  const char* words;
};

template <class Value>
constexpr Kind kind_of(const Value& /*value*/) {
  if (std::is_same_v<Value, bool>) return {"bool", "True or False"};
  if (std::is_same_v<Value, std::string> || Worded<Value>) return {"str", "a string"};
  return std::is_floating_point_v<Value> ? Kind{"float", "a number"}
                                         : Kind{"int", "a whole number"};
}
template <class Value>
constexpr Kind kind_of(const Auto<Value>& /*value*/) {
  return kind_of(Value());
}

bool is_auto(const py::handle& value) {
  return py::isinstance<py::str>(value) && value.cast<std::string>() == kAuto;
}

/// Strings may be given as numbers too: pooling_groups=4.
template <class Value>
void read(const std::string& name, const py::handle& from, Value& value) {
  const bool is_text = py::isinstance<py::str>(from);
  try {
    if constexpr (std::is_same_v<Value, std::string> || Worded<Value>) {
      if (!is_text && !py::isinstance<py::int_>(from)) throw py::cast_error();
      const auto text = py::str(from).cast<std::string>();
      if constexpr (Worded<Value>) {
        value = from_words<Value>(text, name);
      } else {
        value = text;
      }
    } else {
      value = from.cast<Value>();
    }
  } catch (const py::cast_error&) {
    throw InvalidArgument(fmt::format("[options] {} must be {}, got {}", name, kind_of(value).words,
                                      py::repr(from).cast<std::string>()));
  }
}
template <class Value>
void read(const std::string& name, const py::handle& from, Auto<Value>& value) {
  if (is_auto(from)) return value.reset();
  read(name, from, value.emplace());
}

template <class Value>
py::object written(const Value& value) {
  if constexpr (Worded<Value>) {
    return py::cast(to_words(value));
  } else {
    return py::cast(value);
  }
}
template <class Value>
py::object written(const Auto<Value>& value) {
  return value ? written(*value) : py::str(kAuto);
}

/// (name, default, help, choices, type) of every option, in the order of help.
py::list option_table() {
  const PipelineOptions defaults;
  py::list table;
  for_each_option(defaults, [&](const char* name, const auto& value, const char* help) {
    table.append(py::make_tuple(python_name(name), written(value), help, choices_of(name),
                                kind_of(value).type));
  });
  return table;
}

}  // namespace

PipelineOptions options_from(const py::dict& values) {
  PipelineOptions options;
  std::size_t known = 0;
  for_each_option(options, [&](const char* name, auto& value, const char*) {
    const std::string key = python_name(name);
    if (!values.contains(key)) return;
    read(key, values[key.c_str()], value);
    ++known;
  });
  if (known < values.size()) throw InvalidArgument("[options] there is an unknown option");
  return options;
}

py::dict to_dict(const PipelineOptions& options) {
  py::dict values;
  for_each_option(options, [&](const char* name, const auto& value, const char*) {
    values[python_name(name).c_str()] = written(value);
  });
  return values;
}

RunOptions run_options_from(const py::dict& values) {
  RunOptions options;
  if (values.contains("threads")) read("threads", values["threads"], options.threads);
  if (values.contains("memory")) read("memory", values["memory"], options.memory);
  if (values.contains("device")) read("device", values["device"], options.device);
  if (values.contains("precision")) read("precision", values["precision"], options.precision);
  if (values.contains("device_memory"))
    read("device_memory", values["device_memory"], options.device_memory);
  if (values.contains("callback")) options.callback = values["callback"];
  return options;
}

void bind_options(py::module_& module) {
  module.def("option_table", &option_table);
  module.def("recipe", &recipe);
}

}  // namespace krica::python
