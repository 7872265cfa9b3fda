// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "krica/data/image_set.hpp"

namespace krica::benchmarks {

/// The caller's bytes as an image set.
class ByteImages : public ImageSet {
 public:
  ByteImages(const std::uint8_t* images, Index count, Index side, Index channels)
      : ImageSet(info_of(count, {side, side, channels})), images_(images) {}

 private:
  static ImageSetInfo info_of(Index count, ImageShape shape) {
    ImageSetInfo info;
    info.size = count;
    info.shape = shape;
    info.description = "bytes";
    return info;
  }
  void load_bytes(Index first, Index count, std::uint8_t* out) const override {
    const std::uint8_t* begin = images_ + first * shape().values();
    std::copy(begin, begin + count * shape().values(), out);
  }

  const std::uint8_t* images_;
};

}  // namespace krica::benchmarks
