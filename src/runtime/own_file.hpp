// SPDX-License-Identifier: BSD-3-Clause
//
// Files that krica writes in place under names that can be foreseen, because a later run must find
// them: the features of a checkpoint, the part of a download, rows of results, locks. Somebody else
// may have put something under such a name, for example a link to a file that must not change.
#pragma once

#include <filesystem>
#include <string>

#include "krica/runtime/library.hpp"

namespace krica {

/// open(2) with these flags, without following a link. Throws IoError naming the path and what to
/// do, unless what it opens is a regular file with no other name. It may be another user's: results
/// and downloads in a common directory are continued by whoever may write to them.
KRICA_EXPORT int open_own_file(const std::string& operation, const std::filesystem::path& path,
                               int flags);

/// Throws the same for what is at the path, if anything.
KRICA_EXPORT void require_own_file(const std::string& operation, const std::filesystem::path& path);

}  // namespace krica
