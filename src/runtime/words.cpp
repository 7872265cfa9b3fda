// SPDX-License-Identifier: BSD-3-Clause
#include "krica/runtime/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/nearest.hpp"

namespace krica {

void unknown_word(std::string_view what, std::string_view word,
                  const std::vector<std::string>& known, std::string_view operation) {
  throw InvalidArgument(fmt::format("[{}] unknown {} '{}'{}; known: {}", operation, what, word,
                                    did_you_mean(word, known), fmt::join(known, ", ")));
}

}  // namespace krica
