// SPDX-License-Identifier: BSD-3-Clause
//
// Values that users write as words: enumerations, by their name_of(), and types with text() and a
// static from_text(). Command line, JSON and Python use the same words.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "krica/runtime/error.hpp"
#include "krica/runtime/library.hpp"

namespace krica {

/// A value that may be left to the method or the data.
template <class Value>
using Auto = std::optional<Value>;

/// The names of all enumerators, as users write them, e.g. all_names<KernelKind>(). For
/// enumerations that count from 0 and have a name_of().
template <class Enum>
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (int i = 0;; ++i) {
    const std::string_view name = name_of(static_cast<Enum>(i));
    if (name == "unknown") return names;
    names.emplace_back(name);
  }
}

/// Throws InvalidArgument: "[options] unknown kernel 'gausian'; did you mean 'gaussian'?; known:
/// linear, gaussian, ..."
[[noreturn]] KRICA_EXPORT void unknown_word(std::string_view what, std::string_view word,
                                            const std::vector<std::string>& known,
                                            std::string_view operation = "options");

template <class Value>
concept Worded = std::is_enum_v<Value> || requires(const Value& value, std::string_view text) {
  { value.text() } -> std::convertible_to<std::string>;
  { Value::from_text(text) } -> std::same_as<Value>;
};

template <Worded Value>
std::string to_words(const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return std::string(name_of(value));
  } else {
    return value.text();
  }
}

/// Throws InvalidArgument; `what` names the value in messages, e.g. an option's name.
template <Worded Value>
Value from_words(std::string_view text, std::string_view what) {
  if constexpr (std::is_enum_v<Value>) {
    const std::vector<std::string> names = all_names<Value>();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == text) return static_cast<Value>(i);
    }
    unknown_word(what, text, names);
  } else {
    return Value::from_text(text);
  }
}

/// The same; "auto" leaves the value open.
template <Worded Value>
Auto<Value> auto_or_words(std::string_view text, std::string_view what) {
  if (text == "auto") return std::nullopt;
  return from_words<Value>(text, what);
}

}  // namespace krica
