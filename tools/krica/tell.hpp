// SPDX-License-Identifier: BSD-3-Clause
//
// Messages to the user on standard error: progress, warnings, errors. They are not results, so if
// they cannot be written (a log on a full disk, a closed stream), they are lost and the work goes
// on; fmt::print would throw.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace krica::cli {

template <class... Values>
void tell(fmt::format_string<Values...> format, Values&&... values) {
  const std::string text = fmt::format(format, std::forward<Values>(values)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace krica::cli
