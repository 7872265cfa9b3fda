// SPDX-License-Identifier: BSD-3-Clause
//
// Uniform messages for failed file operations: "[operation] path: what failed: the system's
// reason".
#pragma once

#include <filesystem>
#include <string_view>

#include "krica/runtime/library.hpp"

namespace krica {

/// Throws IoError for a failed system call: `code` is its errno.
[[noreturn]] KRICA_EXPORT void io_error(std::string_view operation,
                                        const std::filesystem::path& path, std::string_view action,
                                        int code);

}  // namespace krica
