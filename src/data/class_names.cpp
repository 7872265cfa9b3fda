// SPDX-License-Identifier: BSD-3-Clause
#include "data/class_names.hpp"

#include <string_view>

namespace krica {
namespace {

constexpr std::size_t kLongestName = 200;  // file systems allow 255; an extension may follow

bool is_forbidden(char c) {
  constexpr std::string_view kForbidden = "/\\:*?\"<>|\x7f";
  return static_cast<unsigned char>(c) < 0x20 || kForbidden.find(c) != std::string_view::npos;
}

/// Cuts before the UTF-8 character that would exceed the limit.
void shorten(std::string& name) {
  if (name.size() <= kLongestName) return;
  std::size_t end = kLongestName;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  name.resize(end);
}

}  // namespace

std::string directory_name(const std::string& class_name) {
  std::string name = class_name;
  for (char& c : name) {
    if (is_forbidden(c)) c = '_';
  }
  if (name.empty() || name.front() == '.') name.insert(0, 1, '_');
  shorten(name);
  if (name.back() == '.' || name.back() == ' ') name.back() = '_';
  return name;
}

}  // namespace krica
