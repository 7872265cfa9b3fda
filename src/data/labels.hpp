// SPDX-License-Identifier: BSD-3-Clause
//
// What all readers need for labels and class names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "krica/runtime/matrix.hpp"

namespace krica {

/// More classes than this are taken for a mistake in the labels.
constexpr Index kMostClasses = 100000;

/// "0", "1", ..., count - 1.
std::vector<std::string> numbered_names(Index count);

/// One more than the largest label. Throws DataError for a negative label or one beyond
/// kMostClasses, with its position.
Index count_classes(const std::vector<int>& labels, const std::string& operation,
                    const std::string& file);

/// The lines of `file` in `directory` where it exists, else numbered names. Throws DataError where
/// it has fewer names than `classes`.
std::vector<std::string> read_class_names(const std::filesystem::path& directory,
                                          const std::string& file, Index classes,
                                          const std::string& operation);

/// Throws DataError where labels are given and all are the same.
void require_two_classes(const std::vector<int>& labels, const std::vector<std::string>& names,
                         const std::string& operation, const std::string& file);

}  // namespace krica
