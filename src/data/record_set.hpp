// SPDX-License-Identifier: BSD-3-Clause
//
// Byte images that lie in files as records of one size: CIFAR, STL-10, IDX, NPY.
#pragma once

#include <vector>

#include "data/byte_source.hpp"
#include "krica/data/image_set.hpp"

namespace krica {

/// How a record orders its pixels.
enum class PixelOrder {
  kPlanar,            // channel, row, column: as ImageSet
  kPlanarTransposed,  // channel, column, row
  kInterleaved,       // row, column, channel
};

/// Some records in one source.
struct RecordPart {
  ByteSourcePtr source;
  Index offset = 0;  // of the first record's pixels
  Index stride = 0;  // from one record to the next
  Index count = 0;
};

/// Writes one image of values() numbers from `record` to `out` in planar order.
template <class Pixel>
void to_planar(const Pixel* record, ImageShape shape, PixelOrder order, Pixel* out);

class RecordSet : public ImageSet {
 public:
  /// info.size must be the sum of the parts' counts. The caller has checked the sources' sizes.
  RecordSet(ImageSetInfo info, std::vector<RecordPart> parts, PixelOrder order)
      : ImageSet(std::move(info)), parts_(std::move(parts)), order_(order) {}

 private:
  void load_bytes(Index first, Index count, std::uint8_t* out) const override;
  void load_part(const RecordPart& part, Index first, Index count, std::uint8_t* out) const;

  std::vector<RecordPart> parts_;
  PixelOrder order_;
};

}  // namespace krica
