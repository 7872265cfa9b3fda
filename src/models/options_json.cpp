// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "models/flat_object.hpp"
#include "models/option_list.hpp"

namespace krica {
namespace {

using nlohmann::json;

template <class Value>
json written(const Value& value) {
  if constexpr (Worded<Value>) {
    return to_words(value);
  } else {
    return value;
  }
}
template <class Value>
json written(const Auto<Value>& value) {
  return value ? written(*value) : json("auto");
}

/// An integer in the range of the type. JSON's own conversion truncates out-of-range values.
template <class Whole>
Whole whole_number(const json& entry, const char* name) {
  constexpr double kExact = 0x1p53;
  if (entry.is_number_unsigned() && std::in_range<Whole>(entry.get<std::uint64_t>()))
    return static_cast<Whole>(entry.get<std::uint64_t>());
  if (entry.is_number_integer() && !entry.is_number_unsigned() &&
      std::in_range<Whole>(entry.get<std::int64_t>()))
    return static_cast<Whole>(entry.get<std::int64_t>());
  if (entry.is_number_float()) {
    const auto number = entry.get<double>();
    if (std::abs(number) <= kExact && number == std::floor(number))
      return whole_number<Whole>(json(static_cast<std::int64_t>(number)), name);
  }
  throw DataError(fmt::format("[options] {} cannot be {}", name, entry.dump()));
}

template <class Value>
void read(const json& entry, const char* name, Value& value) {
  if constexpr (Worded<Value>) {
    value = from_words<Value>(entry.get_ref<const std::string&>(), name);
  } else if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
    value = whole_number<Value>(entry, name);
  } else {
    value = entry.get<Value>();
  }
}
template <class Value>
void read(const json& entry, const char* name, Auto<Value>& value) {
  if (entry.is_string() && entry.get_ref<const std::string&>() == "auto") return value.reset();
  read(entry, name, value.emplace());
}

/// Removes every known option from the object.
void read_options(json& object, PipelineOptions& options) {
  for_each_option(options, [&](const char* name, auto& value, const char*) {
    if (!object.contains(name)) return;
    try {
      read(object[name], name, value);
    } catch (const json::exception&) {
      throw DataError(fmt::format("[options] {} cannot be {}", name, object[name].dump()));
    }
    object.erase(name);
  });
}

}  // namespace

std::string to_json(const PipelineOptions& options) {
  json object = json::object();
  for_each_option(options, [&](const char* name, const auto& value, const char*) {
    object[name] = written(value);
  });
  return object.dump();
}

PipelineOptions options_from_json(const std::string& text) {
  PipelineOptions options;
  try {
    json object = flat_object(text, "options");
    read_options(object, options);
    if (!object.empty())
      throw DataError(fmt::format("[options] unknown option '{}'", object.begin().key()));
  } catch (const json::exception& error) {
    throw DataError(fmt::format("[options] {}", error.what()));
  }
  return options;
}

}  // namespace krica
