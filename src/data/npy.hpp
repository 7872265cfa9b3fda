// SPDX-License-Identifier: BSD-3-Clause
//
// Writes NPY files (numpy.save) block by block, so that the array may be larger than memory.
//
//   NpyWriter<float> file("features.npy", {rows, cols});
//   for (...) file.write(block, count);
//   file.commit();
//
// Several ranks write one file with NpyRows, each the rows that it has.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "krica/runtime/context.hpp"
#include "krica/runtime/library.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

class AtomicFile;
class SharedFile;

/// For bool, std::uint8_t, std::int32_t, std::int64_t, float and double. Little-endian, C order.
template <class Scalar>
class KRICA_EXPORT NpyWriter {
 public:
  NpyWriter(const std::filesystem::path& path, const std::vector<Index>& shape);
  ~NpyWriter();
  NpyWriter(const NpyWriter&) = delete;
  NpyWriter& operator=(const NpyWriter&) = delete;

  /// The next `count` numbers in C order. Throws InvalidArgument beyond the shape.
  void write(const Scalar* data, Index count);
  /// Moves the file into place. Throws InvalidArgument if numbers are missing.
  void commit();

 private:
  std::unique_ptr<AtomicFile> file_;
  Index missing_;
};

/// A matrix of float32 by rows, in any order and by any rank (runtime/shared_file.hpp).
class KRICA_EXPORT NpyRows {
 public:
  /// All ranks.
  NpyRows(const Context& context, const std::filesystem::path& path, Index rows, Index cols);
  ~NpyRows();
  NpyRows(const NpyRows&) = delete;
  NpyRows& operator=(const NpyRows&) = delete;

  /// One rank: `count` rows from number `first` on. Together the ranks must write every row once.
  void write(Index first, Index count, const float* data);
  /// All ranks. Moves the file into place.
  void commit();

 private:
  std::unique_ptr<SharedFile> file_;
  std::size_t header_bytes_;
  Index rows_;
  Index cols_;
};

}  // namespace krica
