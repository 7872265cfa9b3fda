// SPDX-License-Identifier: BSD-3-Clause
//
// Enumerators and their names, as users write them: one table for both directions.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "krica/runtime/words.hpp"

namespace krica {

template <class Enum, std::size_t Count>
using NameTable = std::array<std::pair<Enum, std::string_view>, Count>;

template <class Enum, std::size_t Count>
std::string_view find_name(const NameTable<Enum, Count>& table, Enum value) {
  for (const auto& [known, name] : table) {
    if (known == value) return name;
  }
  return "unknown";
}

/// Throws InvalidArgument listing the known names.
template <class Enum, std::size_t Count>
Enum find_value(const NameTable<Enum, Count>& table, std::string_view name, std::string_view what) {
  std::vector<std::string> known;
  for (const auto& [value, candidate] : table) {
    if (candidate == name) return value;
    known.emplace_back(candidate);
  }
  unknown_word(what, name, known, what);
}

}  // namespace krica
