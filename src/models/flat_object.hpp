// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "krica/runtime/error.hpp"

namespace krica {

/// Parses a JSON object of values and lists of values, the form of options. Throws
/// DataError("[what] ...") for any other text. Rejects nested objects while parsing, because
/// writing them would recurse once per level.
inline nlohmann::json flat_object(const std::string& text, std::string_view what) {
  using nlohmann::json;
  constexpr int kDeepest = 2;
  const auto limit_depth = [&](int depth, json::parse_event_t, json&) {
    if (depth > kDeepest) throw DataError(fmt::format("[{}] nested too deeply", what));
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

}  // namespace krica
