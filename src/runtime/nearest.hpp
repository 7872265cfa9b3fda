// SPDX-License-Identifier: BSD-3-Clause
//
// Suggestions for mistyped words.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "krica/runtime/library.hpp"

namespace krica {

/// The known word with the smallest Damerau-Levenshtein distance, if that is at most a third of the
/// word's length (at least 1); otherwise empty. The first one on ties.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

/// "; did you mean 'x'?", or nothing.
KRICA_EXPORT std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

/// The same for a path that does not exist, from the names in its directory and `other` words that
/// are valid in its place.
KRICA_EXPORT std::string did_you_mean_file(const std::filesystem::path& path,
                                           const std::vector<std::string>& other = {});

}  // namespace krica
