// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krica/data/image_set.hpp"
#include "krica/runtime/library.hpp"

namespace krica {

/// The side to which images of these shapes are brought where it is left open: 0 (as they are)
/// where all have one size of at most 48 pixels a side, else 48, or the median of their shorter
/// sides where that is smaller.
KRICA_EXPORT Index automatic_image_size(const std::vector<ImageShape>& shapes);

}  // namespace krica
