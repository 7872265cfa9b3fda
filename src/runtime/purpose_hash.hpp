// SPDX-License-Identifier: BSD-3-Clause
//
// The word by which Random (krica/runtime/context.hpp) knows the purpose of a stream.
#pragma once

#include <cstdint>
#include <string_view>

namespace krica {

/// FNV-1a.
constexpr std::uint32_t purpose_hash(std::string_view name) {
  std::uint32_t hash = 2166136261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

}  // namespace krica
