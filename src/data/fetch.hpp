// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "krica/runtime/context.hpp"

namespace krica {

/// The file's md5. Throws IoError.
std::string md5_of(const Context& context, const std::filesystem::path& path);

/// Fetches `address` (http, https or file) to `path` by way of path.part, which is continued where
/// it exists, and renames it once its md5 is right. Does nothing where `path` is there with this
/// md5. Throws IoError where the transfer fails (the part stays), DataError where the md5 is wrong
/// (the part is removed).
void fetch(const Context& context, const std::string& address, const std::string& md5,
           const std::filesystem::path& path);

/// Unpacks the files of a tar (plain or compressed) or zip archive below `directory`. Throws
/// DataError for a broken archive and for names that would lie outside; links are left out.
void unpack(const Context& context, const std::filesystem::path& archive_file,
            const std::filesystem::path& directory);

}  // namespace krica
