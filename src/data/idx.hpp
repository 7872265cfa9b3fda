// SPDX-License-Identifier: BSD-3-Clause
//
// IDX: a big-endian header (0, 0, type, dimensions, then the sizes) and the numbers. Bytes only:
// images have three dimensions (magic 0x803), labels one (0x801).
#pragma once

#include <array>

#include "data/byte_source.hpp"
#include "krica/data/image_set.hpp"

namespace krica {

/// The first bytes of every IDX file of bytes.
constexpr std::array<std::uint8_t, 3> kIdxStart = {0, 0, 8};

struct IdxHeader {
  std::vector<Index> sizes;
  Index data_at = 0;
  [[nodiscard]] Index count() const { return sizes.front(); }
  /// Offset of the end of the numbers.
  [[nodiscard]] Index end() const;
};

/// The header at `offset`. Throws DataError unless it has `dimensions` and the source is large
/// enough for it.
IdxHeader read_idx_header(const ByteSource& source, Index offset, int dimensions);

std::vector<int> read_idx_labels(const ByteSource& source, const IdxHeader& header);

/// `info` provides labels, names and description.
ImageSetPtr idx_images(ByteSourcePtr source, const IdxHeader& header, ImageSetInfo info);

}  // namespace krica
