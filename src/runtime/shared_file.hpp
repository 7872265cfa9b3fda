// SPDX-License-Identifier: BSD-3-Clause
//
// A file of which every rank writes a part, and which appears complete or not at all, as an
// AtomicFile does: the first rank creates it under a temporary name and renames it when all have
// written and synced their parts. All ranks need the same directory. Without shared rows, one
// process writes everything.
//
//   SharedFile file(context, "npy", path);
//   file.write_at(offset, data, size);
//   file.commit();
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "krica/runtime/context.hpp"
#include "runtime/atomic_file.hpp"

namespace krica {

class SharedFile {
 public:
  /// All ranks. Errors are IoErrors; here and in commit() all ranks throw the first.
  SharedFile(const Context& context, std::string operation, std::filesystem::path path);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// One rank; parts must not overlap.
  void write_at(std::size_t offset, const void* data, std::size_t size);
  /// All ranks.
  void commit();

 private:
  void open_what_the_first_created();

  Context context_;
  std::string operation_;
  std::filesystem::path path_;
  std::optional<AtomicFile> created_;  // on the first rank
  int descriptor_ = -1;                // on the others
};

}  // namespace krica
