// SPDX-License-Identifier: BSD-3-Clause
//
// Writes NPY files (numpy.save) block by block, so that the array may be larger than memory.
//
//   NpyWriter<float> file("features.npy", {rows, cols});
//   for (...) file.write(block, count);
//   file.commit();
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "krica/runtime/library.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

class AtomicFile;

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

}  // namespace krica
