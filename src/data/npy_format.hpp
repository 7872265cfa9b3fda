// SPDX-License-Identifier: BSD-3-Clause
//
// The NPY file format, versions 1 to 3: a Python dictionary as text, then the numbers.
#pragma once

#include <string>
#include <vector>

#include "data/byte_source.hpp"

namespace krica {

/// The type of a file's numbers.
struct NpyType {
  char kind = 'f';  // 'b' bool, 'u' unsigned, 'i' signed, 'f' float
  Index bytes = 4;
  bool swapped = false;  // big-endian

  [[nodiscard]] std::string name() const;
};

/// An array in C order: the rows of its first dimension lie one after the other.
struct NpyArray {
  ByteSourcePtr source;
  NpyType type;
  std::vector<Index> shape;
  Index data_at = 0;

  [[nodiscard]] Index rows() const { return shape.front(); }
  /// Numbers in one row.
  [[nodiscard]] Index row_size() const;
  /// Rows first to first + count - 1 as Scalar: float, double or std::int64_t.
  template <class Scalar>
  void read(Index first, Index count, Scalar* out) const;
};

/// Checks the header against the file's size before anything is allocated. Column-major files are
/// rearranged in memory, within the context's budget. Throws DataError for what cannot be read.
NpyArray open_npy_array(const Context& context, ByteSourcePtr source);

/// Throws DataError with their number and the first position where a number is NaN or infinite (as
/// float where `narrow`).
void require_finite_npy(const Context& context, const NpyArray& array, bool narrow);

}  // namespace krica
