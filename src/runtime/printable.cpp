// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace krica {
namespace {

/// One UTF-8 character; length 0 if the text does not start with one.
struct Character {
  std::uint32_t code = 0;
  std::size_t length = 0;
};

Character first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  std::uint32_t code = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return {};
    code = code << 6 | (byte & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[length] || code > 0x10ffff || surrogate) return {};
  return {code, length};
}

/// ASCII and Latin-1 control characters, line and paragraph separators, and direction overrides.
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0x200e || code == 0x200f;
}

/// Replaces every control character with its `escape`.
template <class Escape>
std::string escaped(std::string_view text, const Escape& escape) {
  std::string result;
  while (!text.empty()) {
    const Character character = first_of(text);
    if (character.length == 0) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (is_control(character.code)) {
      result += escape(character.code);
    } else {
      result += text.substr(0, character.length);
    }
    text.remove_prefix(std::max<std::size_t>(1, character.length));
  }
  return result;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_of(text);
    if (character.length == 0) return false;
    text.remove_prefix(character.length);
  }
  return true;
}

std::string printable(std::string_view text) {
  return escaped(text, [](std::uint32_t code) {
    if (code == '\n') return std::string("\\n");
    return code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
  });
}

std::string printable_json(std::string_view json) {
  return escaped(json, [](std::uint32_t code) {
    return code == '\n' ? std::string("\n") : fmt::format("\\u{:04x}", code);
  });
}

}  // namespace krica
