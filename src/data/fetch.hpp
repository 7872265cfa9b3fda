// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "krica/runtime/context.hpp"
#include "krica/runtime/error.hpp"

namespace krica {

/// The address did not give the file: no network, no such file, an aborted transfer.
class TransferError : public IoError {
 public:
  using IoError::IoError;
};

/// The address gave another file than the one wanted.
class WrongContent : public DataError {
 public:
  using DataError::DataError;
};

/// The file's md5. Throws IoError.
std::string md5_of(const Context& context, const std::filesystem::path& path);

/// Fetches `address` (http, https or file) to `path` by way of path.part, which is continued where
/// it exists, and renames it once its md5 is right. Does nothing where `path` is there with this
/// md5; another file there is left alone and refused with DataError. Throws TransferError where the
/// transfer fails (the part stays), WrongContent where its md5 is wrong (the part is removed),
/// IoError where the file system refuses.
void fetch(const Context& context, const std::string& address, const std::string& md5,
           const std::filesystem::path& path);

/// Unpacks the files of a tar (plain or compressed) or zip archive below `directory`. Throws
/// DataError for a broken archive and for names that would lie outside; links are left out.
void unpack(const Context& context, const std::filesystem::path& archive_file,
            const std::filesystem::path& directory);

}  // namespace krica
