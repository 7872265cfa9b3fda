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
#include <vector>

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
  /// At a place of its own, whatever write() has written.
  void write_at(std::size_t offset, const void* data, std::size_t size);
  void commit();

  /// Where the file is until commit().
  [[nodiscard]] const std::filesystem::path& temporary() const { return temporary_; }

 private:
  std::string operation_;
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
};

/// Writes to an open file at a place of its own; `path` is for messages.
void write_at(const std::string& operation, const std::filesystem::path& path, int descriptor,
              std::size_t offset, const void* data, std::size_t size);

/// Removes temporary files left by killed writes to this path. Nobody else may be writing to it.
void remove_leftovers(const std::filesystem::path& path);

/// Makes a rename in this directory durable. Ignores directories that cannot be opened or synced;
/// the renamed file is complete anyway.
KRICA_EXPORT void sync_directory(const std::filesystem::path& directory);

/// Creates the directory and those above it that are missing, durably. Throws
/// std::filesystem::filesystem_error.
KRICA_EXPORT void create_directories_durably(const std::filesystem::path& directory);

/// The names in a directory, in no order. Throws std::system_error if it cannot be listed. Unlike
/// std::filesystem::directory_iterator it may run out of memory: that one then ends the program.
KRICA_EXPORT std::vector<std::string> names_in_directory(const std::filesystem::path& directory);

/// The directory of a file: "." for a bare name.
KRICA_EXPORT std::filesystem::path directory_of(const std::filesystem::path& file);

}  // namespace krica
