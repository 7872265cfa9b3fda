// SPDX-License-Identifier: BSD-3-Clause
//
// Options with one field after the other changed, by their list of fields.
#pragma once

#include <string_view>
#include <type_traits>

#include "features/feature_options.hpp"
#include "solvers/option_fields.hpp"

namespace krica::support {

/// Another value that is allowed as well.
template <class Value>
void change(Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    value = value == Value{} ? static_cast<Value>(1) : Value{};
  } else if constexpr (std::is_same_v<Value, bool>) {
    value = !value;
  } else if constexpr (std::is_integral_v<Value>) {
    ++value;
  } else {
    value = value == 0 ? 0.5 : value / 2;
  }
}

inline void change(PoolLevels& value) { value.levels.push_back({7, 9}); }

/// Calls body(changed, name, on_resume) for every field.
template <class Options, class Body>
void for_each_change(const Options& options, Body body) {
  int fields = 0;
  each_field(options, [&](const auto&...) { ++fields; });
  for (int chosen = 0; chosen < fields; ++chosen) {
    Options changed = options;
    std::string_view changed_name;
    OnResume changed_on_resume = OnResume::kMustAgree;
    int field = 0;
    each_field(changed, [&](std::string_view name, auto& value, const Bounds&,
                            OnResume on_resume = OnResume::kMustAgree) {
      if (field++ != chosen) return;
      change(value);
      changed_name = name;
      changed_on_resume = on_resume;
    });
    body(changed, changed_name, changed_on_resume);
  }
}

}  // namespace krica::support
