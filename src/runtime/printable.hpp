// SPDX-License-Identifier: BSD-3-Clause
//
// Untrusted text: class names, file names, descriptions in model files.
#pragma once

#include <string>
#include <string_view>

#include "krica/runtime/library.hpp"

namespace krica {

KRICA_EXPORT bool is_utf8(std::string_view text);

/// The text in a form that is safe for a terminal or a line of a text file: characters that could
/// move the cursor, change colours, start a line or change the writing direction become \n, \x1b or
/// \u202e, and bytes that are not UTF-8 become \xe9.
KRICA_EXPORT std::string printable(std::string_view text);

/// The same for JSON text, keeping its own line breaks: escapes as \u001b, which JSON readers
/// decode.
std::string printable_json(std::string_view json);

}  // namespace krica
