// SPDX-License-Identifier: BSD-3-Clause
//
// What a mistyped word was probably meant to be.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "krica/runtime/library.hpp"

namespace krica {

/// The known word with the smallest Damerau-Levenshtein distance, if that is at most a third of the
/// word's length, and at least 1; else empty. The first of equals.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

/// "; did you mean 'x'?", or nothing.
KRICA_EXPORT std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

/// The same for a path that does not exist, from the names beside it and `other` words that could
/// stand in its place.
KRICA_EXPORT std::string did_you_mean_file(const std::filesystem::path& path,
                                           const std::vector<std::string>& other = {});

}  // namespace krica
