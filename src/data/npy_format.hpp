// SPDX-License-Identifier: BSD-3-Clause
//
// The NPY file format, versions 1 to 3: a Python dictionary as text, followed by the numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "data/byte_source.hpp"

namespace krica {

/// The type of a file's elements.
struct NpyType {
  char kind = 'f';       // 'b' bool, 'u' unsigned, 'i' signed, 'f' float, 'U' and 'S' text
  Index bytes = 4;       // of one element
  bool swapped = false;  // big-endian

  [[nodiscard]] bool is_text() const { return kind == 'U' || kind == 'S'; }
  [[nodiscard]] std::string name() const;
};

/// An array in C order: the rows of its first dimension are contiguous.
struct NpyArray {
  ByteSourcePtr source;
  NpyType type;
  std::vector<Index> shape;
  Index data_at = 0;

  [[nodiscard]] Index rows() const { return shape.front(); }
  /// Number of values in a row.
  [[nodiscard]] Index row_size() const;
  /// Rows first to first + count - 1 as Scalar: float, double or std::int64_t. As std::int64_t, a
  /// float that is not an integer becomes kNoInteger.
  template <class Scalar>
  void read(Index first, Index count, Scalar* out) const;
  /// All elements of a text array, as UTF-8. Throws DataError for invalid Unicode.
  [[nodiscard]] std::vector<std::string> read_text() const;
};

constexpr std::int64_t kNoInteger = std::numeric_limits<std::int64_t>::min();

enum class NpyContent { kNumbers, kAny };

/// Checks the header against the file size before allocating anything. Column-major files are
/// rearranged in memory, within the context's budget. Throws DataError for unreadable files.
NpyArray open_npy_array(const Context& context, ByteSourcePtr source,
                        NpyContent content = NpyContent::kNumbers);

/// Throws DataError if numbers are NaN or infinite, or beyond float32 if `narrow`, with their count
/// and the first position.
void require_finite_npy(const Context& context, const NpyArray& array, bool narrow);

}  // namespace krica
