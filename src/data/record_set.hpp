// SPDX-License-Identifier: BSD-3-Clause
//
// Byte images stored as records of fixed size: CIFAR, STL-10, IDX, NPY.
#pragma once

#include <vector>

#include "data/byte_source.hpp"
#include "krica/data/image_set.hpp"

namespace krica {

/// The order of pixels in a record.
enum class PixelOrder {
  kPlanar,            // channel, row, column: as in ImageSet
  kPlanarTransposed,  // channel, column, row
  kInterleaved,       // row, column, channel
};

/// Records within one source.
struct RecordPart {
  ByteSourcePtr source;
  Index offset = 0;  // of the first record's pixels
  Index stride = 0;  // distance between records
  Index count = 0;
};

/// Copies one image of values() numbers from `record` to `out` in planar order.
template <class Pixel>
void to_planar(const Pixel* record, ImageShape shape, PixelOrder order, Pixel* out);

class RecordSet : public ImageSet {
 public:
  /// info.size must be the sum of the parts' counts. The caller has checked the sizes of the
  /// sources.
  RecordSet(ImageSetInfo info, std::vector<RecordPart> parts, PixelOrder order)
      : ImageSet(std::move(info)), parts_(std::move(parts)), order_(order) {}

 private:
  void load_bytes(Index first, Index count, std::uint8_t* out) const override;
  void load_part(const RecordPart& part, Index first, Index count, std::uint8_t* out) const;

  std::vector<RecordPart> parts_;
  PixelOrder order_;
};

}  // namespace krica
