// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "data/npy_format.hpp"

namespace krica {

struct NpyHeader {
  NpyType type;
  std::vector<Index> shape;
  bool column_major = false;
  Index data_at = 0;
};

/// Throws DataError if the header is invalid or the file is too small for it.
NpyHeader read_npy_header(const ByteSource& source);

}  // namespace krica
