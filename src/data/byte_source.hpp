// SPDX-License-Identifier: BSD-3-Clause
//
// Random access to bytes in a file or in memory; thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "krica/runtime/context.hpp"
#include "krica/runtime/library.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

using Bytes = std::vector<std::uint8_t>;

class ByteSource {
 public:
  ByteSource(std::string operation, std::string name)
      : operation_(std::move(operation)), name_(std::move(name)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Appears in brackets in error messages, e.g. "cifar".
  [[nodiscard]] const std::string& operation() const { return operation_; }
  /// The file name, for error messages.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] virtual Index size() const = 0;
  /// Throws DataError past the end (even if the file has shrunk since), IoError on a read error.
  virtual void read(Index offset, Index count, void* out) const = 0;

 private:
  std::string operation_;
  std::string name_;
};

using ByteSourcePtr = std::shared_ptr<const ByteSource>;

/// A regular file, read with pread. Throws IoError if it cannot be opened.
KRICA_EXPORT ByteSourcePtr open_file(std::string operation, const std::filesystem::path& path);

struct FileSize {
  std::string name;
  Index size = 0;
};

/// Notes the files that this thread opens with open_file() in the meantime.
class KRICA_EXPORT OpenedFiles {
 public:
  OpenedFiles();
  ~OpenedFiles();
  OpenedFiles(const OpenedFiles&) = delete;
  OpenedFiles& operator=(const OpenedFiles&) = delete;

  [[nodiscard]] const std::vector<FileSize>& files() const { return files_; }

 private:
  friend ByteSourcePtr open_file(std::string operation, const std::filesystem::path& path);

  OpenedFiles* outer_;
  std::vector<FileSize> files_;
};

KRICA_EXPORT ByteSourcePtr memory_source(std::string operation, std::string name, Bytes bytes);
/// An open file without a name (runtime/unnamed_file.hpp), which is closed with the source.
KRICA_EXPORT ByteSourcePtr unnamed_source(std::string operation, std::string name, int descriptor,
                                          Index size);
/// Bytes with static lifetime.
KRICA_EXPORT ByteSourcePtr static_source(std::string operation, std::string name,
                                         std::span<const std::uint8_t> bytes);

[[nodiscard]] KRICA_EXPORT bool is_gzip(const ByteSource& source);

/// The whole source. Throws DataError beyond `limit` bytes.
KRICA_EXPORT Bytes read_all(const ByteSource& source, Index limit);

/// The uncompressed content: in memory, or above 4 MiB in a temporary file. Throws DataError if the
/// stream is corrupt or truncated, would exceed the context's memory budget, or does not begin with
/// `start`, which is checked before the rest is unpacked; IoError if there is no room for the file.
ByteSourcePtr gunzip(const Context& context, const ByteSource& source,
                     std::span<const std::uint8_t> start);

/// Lines of a small text file, without line endings and empty lines.
KRICA_EXPORT std::vector<std::string> read_lines(const std::string& operation,
                                                 const std::filesystem::path& path);

/// a * b, or -1 on overflow or if a factor is negative.
KRICA_EXPORT Index checked_product(Index a, Index b);

}  // namespace krica
