// SPDX-License-Identifier: BSD-3-Clause
#include "data/mirrored.hpp"

#include <algorithm>

#include "data/mirror.hpp"

namespace krica {
namespace {

template <class Pixel>
void read_mirrored(const ImageSet& set, Index first, Index count, Pixel* out) {
  set.read(first, count, out);
  for (Index i = 0; i < count; ++i)
    mirror_image(set.shape_of(first + i), out + i * set.shape().values());
}

template <class Pixel>
void read_both(const ImageSet& set, Index first, Index count, Pixel* out) {
  const Index plain = std::clamp<Index>(set.size() - first, 0, count);
  if (plain > 0) set.read(first, plain, out);
  if (plain == count) return;
  read_mirrored(set, first + plain - set.size(), count - plain, out + plain * set.shape().values());
}

ImageSetInfo doubled(ImageSetInfo info) {
  const auto twice = [](auto& list) {
    const auto copy = list;
    list.insert(list.end(), copy.begin(), copy.end());
  };
  info.size *= 2;
  twice(info.labels);
  twice(info.shapes);
  return info;
}

}  // namespace

void Mirrored::load_bytes(Index first, Index count, std::uint8_t* out) const {
  read_mirrored(whole_, first, count, out);
}
void Mirrored::load_floats(Index first, Index count, float* out) const {
  read_mirrored(whole_, first, count, out);
}

WithMirrors::WithMirrors(const ImageSet& whole) : ImageSet(doubled(whole.info())), whole_(whole) {}

void WithMirrors::load_bytes(Index first, Index count, std::uint8_t* out) const {
  read_both(whole_, first, count, out);
}
void WithMirrors::load_floats(Index first, Index count, float* out) const {
  read_both(whole_, first, count, out);
}

}  // namespace krica
