// SPDX-License-Identifier: BSD-3-Clause
//
// Temporary files without a name, in TMPDIR or /tmp: the system removes them when the process ends,
// however it ends.
#pragma once

#include <cstddef>
#include <string_view>

#include "krica/runtime/library.hpp"

namespace krica {

/// The descriptor of an empty one, for reading and writing. Throws IoError; `bytes` is the size it
/// will have, for the message.
KRICA_EXPORT int open_unnamed_file(std::string_view operation, std::size_t bytes);

/// Throws IoError: that many bytes cannot be kept in the directory. `error` is an errno.
[[noreturn]] KRICA_EXPORT void no_room_in_temporary_directory(std::string_view operation,
                                                              std::size_t bytes, int error);

}  // namespace krica
