// SPDX-License-Identifier: BSD-3-Clause
//
// A file that appears complete or not at all: written under a temporary name in the same directory,
// then synced and renamed by commit(). Without commit() the temporary file is removed. Errors are
// IoErrors.
//
//   AtomicFile file("report", path);
//   file.write(text.data(), text.size());
//   file.commit();
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "krica/runtime/library.hpp"

namespace krica {

class KRICA_EXPORT AtomicFile {
 public:
  /// `operation` appears in brackets in error messages.
  AtomicFile(std::string operation, std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t size);
  void commit();

 private:
  std::string operation_;
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
};

/// Removes temporary files left by killed writes to this path. Nobody else may be writing to it.
void remove_leftovers(const std::filesystem::path& path);

/// Makes a rename in this directory durable. Ignores directories that cannot be opened or synced;
/// the renamed file is complete anyway.
KRICA_EXPORT void sync_directory(const std::filesystem::path& directory);

/// The directory of a file: "." for a bare name.
KRICA_EXPORT std::filesystem::path directory_of(const std::filesystem::path& file);

}  // namespace krica
