// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krica/runtime/library.hpp"

namespace krica {

/// The class name as a directory name that is valid on any common file system, as convert() writes
/// class folders: control characters and / \ : * ? " < > | become underscores, as do a trailing dot
/// and space; a leading dot and an empty name are prefixed with an underscore; at most 200 bytes
/// are kept, in whole UTF-8 characters. Directory names map to themselves, so that class names with
/// equal directory names denote the same class.
KRICA_EXPORT std::string directory_name(const std::string& class_name);

}  // namespace krica
