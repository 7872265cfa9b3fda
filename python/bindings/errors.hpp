// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>

namespace krica::python {

/// InvalidArgument and DataError become ValueError, IoError becomes OSError, with the same text.
/// std::bad_alloc is MemoryError in pybind11 already.
void register_errors();

/// Does something with files. An IoError becomes FileNotFoundError where `needed` does not exist:
/// the file to be read, or the directory to write in.
void with_files(const std::filesystem::path& needed, const std::function<void()>& action);

}  // namespace krica::python
