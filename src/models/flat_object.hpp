// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "krica/runtime/error.hpp"

namespace krica {

/// Parses a JSON object from a file. Throws DataError("[what] ...") for any other text, and for one
/// that is nested deeper: writing it would recurse once per level.
inline nlohmann::json shallow_object(const std::string& text, std::string_view what, int deepest) {
  using nlohmann::json;
  const auto limit_depth = [&](int depth, json::parse_event_t, json&) {
    if (depth > deepest) throw DataError(fmt::format("[{}] nested too deeply", what));
    return true;
  };
  try {
    json object = json::parse(text, limit_depth);
    if (object.is_object()) return object;
  } catch (const json::exception& error) {
    throw DataError(fmt::format("[{}] {}", what, error.what()));
  }
  throw DataError(fmt::format("[{}] not a JSON object", what));
}

/// The same for values and lists of values, the form of options.
inline nlohmann::json flat_object(const std::string& text, std::string_view what) {
  return shallow_object(text, what, 2);
}

}  // namespace krica
