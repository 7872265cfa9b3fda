// SPDX-License-Identifier: BSD-3-Clause
//
// Text of strangers: class names, names of files, what models say of themselves.
#pragma once

#include <string>
#include <string_view>

#include "krica/runtime/library.hpp"

namespace krica {

KRICA_EXPORT bool is_utf8(std::string_view text);

/// The text as it may be shown on a terminal or written into a line of a text file: what could move
/// the cursor, change colours, begin a line or turn the direction of writing stands as \n, \x1b or
/// \u202e, and bytes that are not UTF-8 as \xe9.
KRICA_EXPORT std::string printable(std::string_view text);

/// The same for a JSON text, whose own line ends are kept: \u001b, which JSON's readers undo.
std::string printable_json(std::string_view json);

}  // namespace krica
