// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "krica/runtime/library.hpp"

namespace krica {

/// The whole file. Throws IoError with the system's reason.
std::string read_file(const std::filesystem::path& path);

/// Writes to a temporary file in the same directory, syncs and renames it, so that the path holds
/// the old content or the new, never a part. On failure throws IoError with the system's reason and
/// leaves the old file.
KRICA_EXPORT void write_file_atomically(const std::filesystem::path& path,
                                        std::string_view content);

}  // namespace krica
