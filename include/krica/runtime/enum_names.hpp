// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace krica {

/// The names of all enumerators, as users write them, e.g. all_names<KernelKind>(). For
/// enumerations that count up from 0 and have a name_of().
template <class Enum>
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (int i = 0;; ++i) {
    const std::string_view name = name_of(static_cast<Enum>(i));
    if (name == "unknown") return names;
    names.emplace_back(name);
  }
}

}  // namespace krica
