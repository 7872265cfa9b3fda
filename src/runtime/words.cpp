// SPDX-License-Identifier: BSD-3-Clause
#include "krica/runtime/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace krica {

void unknown_word(std::string_view what, std::string_view word,
                  const std::vector<std::string>& known) {
  throw InvalidArgument(
      fmt::format("[options] unknown {} '{}'; known: {}", what, word, fmt::join(known, ", ")));
}

}  // namespace krica
