// SPDX-License-Identifier: BSD-3-Clause
#include "data/record_set.hpp"

#include <algorithm>

namespace krica {
namespace {

constexpr Index kBlockBytes = Index{1} << 20;

}  // namespace

template <class Pixel>
void to_planar(const Pixel* record, ImageShape shape, PixelOrder order, Pixel* out) {
  const Index pixels = shape.pixels();
  for (Index c = 0; c < shape.channels; ++c) {
    Pixel* plane = out + c * pixels;
    if (order == PixelOrder::kPlanar) {
      std::copy_n(record + c * pixels, pixels, plane);
    } else if (order == PixelOrder::kInterleaved) {
      for (Index i = 0; i < pixels; ++i) plane[i] = record[i * shape.channels + c];
    } else {
      const Pixel* columns = record + c * pixels;
      for (Index row = 0; row < shape.height; ++row) {
        for (Index column = 0; column < shape.width; ++column)
          plane[row * shape.width + column] = columns[column * shape.height + row];
      }
    }
  }
}

template void to_planar(const std::uint8_t*, ImageShape, PixelOrder, std::uint8_t*);
template void to_planar(const float*, ImageShape, PixelOrder, float*);
template void to_planar(const double*, ImageShape, PixelOrder, double*);

void RecordSet::load_bytes(Index first, Index count, std::uint8_t* out) const {
  for (const RecordPart& part : parts_) {
    if (count == 0) return;
    if (first < part.count) {
      const Index here = std::min(count, part.count - first);
      load_part(part, first, here, out);
      out += here * shape().values();
      count -= here;
      first = 0;
    } else {
      first -= part.count;
    }
  }
}

void RecordSet::load_part(const RecordPart& part, Index first, Index count,
                          std::uint8_t* out) const {
  const Index values = shape().values();
  if (order_ == PixelOrder::kPlanar && part.stride == values) {
    part.source->read(part.offset + first * values, count * values, out);
    return;
  }
  const Index step = std::min(count, std::max<Index>(1, kBlockBytes / part.stride));
  Bytes block(static_cast<std::size_t>(step * part.stride));
  for (Index done = 0; done < count; done += step) {
    const Index now = std::min(step, count - done);
    part.source->read(part.offset + (first + done) * part.stride, (now - 1) * part.stride + values,
                      block.data());
    for (Index i = 0; i < now; ++i)
      to_planar(block.data() + i * part.stride, shape(), order_, out + (done + i) * values);
  }
}

}  // namespace krica
