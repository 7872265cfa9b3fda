// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "krica/runtime/context.hpp"
#include "krica/runtime/error.hpp"

namespace krica {

/// The file could not be downloaded: no network, no such file, an aborted transfer.
class TransferError : public IoError {
 public:
  using IoError::IoError;
};

/// The address returned a different file.
class WrongContent : public DataError {
 public:
  using DataError::DataError;
};

/// The file's md5. Throws IoError.
std::string md5_of(const Context& context, const std::filesystem::path& path);

/// Downloads `address` (http, https or file) to path.part, resuming it if it exists, and renames it
/// to `path` once its md5 is correct. Does nothing if `path` exists with this md5; a different file
/// there is left alone and rejected with DataError. Throws TransferError if the transfer fails (the
/// part remains), WrongContent if the md5 is wrong (the part is removed), IoError if a file
/// operation fails.
void fetch(const Context& context, const std::string& address, const std::string& md5,
           const std::filesystem::path& path);

/// Unpacks a tar (plain or with gzip, bzip2, xz or zstd) or zip archive into `directory`. Throws
/// DataError for a corrupt archive and for paths outside the directory; links are skipped.
void unpack(const Context& context, const std::filesystem::path& archive_file,
            const std::filesystem::path& directory);

}  // namespace krica
