// SPDX-License-Identifier: BSD-3-Clause
//
// Vectorised: byte by byte, this took half as long as libjpeg itself
// (docs/decisions/0005-performance.md).
#include "data/planes.hpp"

// Highway compiles the part between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per
// instruction set by including this file again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "data/planes.cpp"  // NOLINT
#include <hwy/foreach_target.h>               // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace krica::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void split(const std::uint8_t* pixels, Index count, std::uint8_t* planes, Index distance) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::Vec<decltype(d)> red;
    hn::Vec<decltype(d)> green;
    hn::Vec<decltype(d)> blue;
    hn::LoadInterleaved3(d, pixels + 3 * i, red, green, blue);
    hn::StoreU(red, d, planes + i);
    hn::StoreU(green, d, planes + distance + i);
    hn::StoreU(blue, d, planes + 2 * distance + i);
  }
  for (; i < count; ++i) {
    for (Index c = 0; c < 3; ++c) planes[c * distance + i] = pixels[3 * i + c];
  }
}

}  // namespace krica::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace krica {

HWY_EXPORT(split);

void split_colours(const std::uint8_t* pixels, Index count, std::uint8_t* planes, Index distance) {
  HWY_DYNAMIC_DISPATCH(split)(pixels, count, planes, distance);
}

}  // namespace krica
#endif
