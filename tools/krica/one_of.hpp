// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "runtime/nearest.hpp"

namespace krica::cli {

/// Like CLI::IsMember, with the same help; the error for a mistyped word suggests the right one.
inline CLI::Validator one_of(std::vector<std::string> words) {
  CLI::Validator check = CLI::IsMember(words);
  const std::string listed = check.get_description();
  check.operation([words = std::move(words), listed](std::string& word) -> std::string {
    if (std::find(words.begin(), words.end(), word) != words.end()) return {};
    return word + " not in " + listed + did_you_mean(word, words);
  });
  return check;
}

}  // namespace krica::cli
