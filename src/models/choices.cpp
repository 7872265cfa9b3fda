// SPDX-License-Identifier: BSD-3-Clause
#include "models/option_list.hpp"

namespace krica {
namespace {

template <class Value>
std::vector<std::string> names_for(const Value& /*value*/) {
  if constexpr (std::is_enum_v<Value>) {
    return all_names<Value>();
  } else {
    return {};
  }
}
template <class Value>
std::vector<std::string> names_for(const Auto<Value>& /*value*/) {
  return names_for(Value());
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const BasisMethod& method : basis_methods()) names.emplace_back(method.name);
  return names;
}

}  // namespace

std::vector<std::string> choices_of(std::string_view option) {
  if (option == "method" || option == "features") return method_names();
  if (option == "init")
    return {"kmeans", "omp-1", "random-patches", "random", "class-kmeans", "label-affinity"};
  if (option == "pooling-groups") return {"none", "topographic"};
  std::vector<std::string> choices;
  const PipelineOptions defaults;
  for_each_option(defaults, [&](std::string_view name, const auto& value, std::string_view) {
    if (name == option) choices = names_for(value);
  });
  return choices;
}

}  // namespace krica
