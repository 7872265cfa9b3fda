// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krica/runtime/library.hpp"

namespace krica {

/// The class name as a directory name on any common file system, as convert() writes class folders:
/// control characters and / \ : * ? " < > | become underscores, as do a trailing dot and space; a
/// leading dot and an empty name get an underscore in front; at most 200 bytes are kept, whole
/// UTF-8 characters only. Directory names map to themselves, so that two class names mean the same
/// class where their directory names are equal.
KRICA_EXPORT std::string directory_name(const std::string& class_name);

}  // namespace krica
