// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krica/runtime/matrix.hpp"

namespace krica {

/// Splits `count` interleaved RGB pixels into three planes: planes[i], planes[i + distance] and
/// planes[i + 2·distance] for pixel i.
void split_colours(const std::uint8_t* pixels, Index count, std::uint8_t* planes, Index distance);

}  // namespace krica
