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

/// Throws DataError where the header is broken or promises more numbers than the file holds.
NpyHeader read_npy_header(const ByteSource& source);

}  // namespace krica
