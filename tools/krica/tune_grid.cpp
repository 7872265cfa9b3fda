// SPDX-License-Identifier: BSD-3-Clause
#include "tune_grid.hpp"

#include <fmt/format.h>

#include <utility>

#include "krica/bases/basis.hpp"
#include "models/resolved.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

using nlohmann::json;

/// Searched in addition to gamma; only the parameter of the kernel in use has an effect.
constexpr const char* kOtherKernels[] = {"degree=2,3,4", "kernel-scale=0.3,1,3"};

/// One option and the values to try.
struct Axis {
  std::string name;
  std::vector<json> values;
};

std::string name_of_axis(const std::string& axis) { return axis.substr(0, axis.find('=')); }

json parsed_value(const std::string& text) {
  const json number = json::parse(text, nullptr, false);
  return number.is_discarded() || number.is_structured() ? json(text) : number;
}

Axis parse_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) {
    throw UsageError(fmt::format("--grid must be NAME=VALUE,VALUE,..., got '{}'", text));
  }
  Axis axis{text.substr(0, equals), {}};
  std::string list = text.substr(equals + 1);
  // Semicolons separate values that contain commas; the last value may also end with one.
  const char separator = list.find(';') == std::string::npos ? ',' : ';';
  if (list.back() == ';') list.pop_back();
  for (const std::string& value : CLI::detail::split(list, separator)) {
    axis.values.push_back(parsed_value(value));
  }
  return axis;
}

/// The method's axes, and those of other kernels' parameters next to gamma.
std::vector<std::string> candidate_axes(const BasisMethod& method) {
  std::vector<std::string> axes;
  for (const std::string& axis : CLI::detail::split(std::string(method.grid), ' ')) {
    if (!axis.empty()) axes.push_back(axis);
    if (name_of_axis(axis) == "gamma")
      axes.insert(axes.end(), std::begin(kOtherKernels), std::end(kOtherKernels));
  }
  return axes;
}

}  // namespace

std::vector<json> combinations(const std::vector<std::string>& grid) {
  std::vector<json> settings = {json::object()};
  for (const std::string& text : grid) {
    const Axis axis = parse_axis(text);
    if (settings.front().contains(axis.name)) {
      throw UsageError(
          fmt::format("--grid names '{0}' twice; write --grid {0}=VALUE,VALUE,...", axis.name));
    }
    std::vector<json> longer;
    for (const json& setting : settings) {
      for (const json& value : axis.values) {
        longer.push_back(setting);
        longer.back()[axis.name] = value;
      }
    }
    settings = std::move(longer);
  }
  return settings;
}

std::vector<std::string> default_grid(const CLI::App& command, const PipelineOptions& options,
                                      const DataFacts& facts) {
  const PipelineOptions settled = resolved(options, facts);
  std::vector<std::string> grid;
  for (const std::string& axis : candidate_axes(basis_method(settled.method))) {
    const std::string name = name_of_axis(axis);
    if (command.count("--" + name) == 0 && has_effect(settled, name)) grid.push_back(axis);
  }
  return grid;
}

}  // namespace krica::cli
