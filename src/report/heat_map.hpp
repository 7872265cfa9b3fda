// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/data/image.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

/// An image in grey under the votes of its patches: red where they are for the class, blue where
/// against, the stronger the more. votes: rows × columns of patches of `field` × `field` pixels,
/// `stride` apart; a pixel has the mean of the patches that hold it, and the largest is full
/// colour. Pixels become zoom × zoom. Throws InvalidArgument where the patches do not fit.
Image draw_heat_map(const Image& image, ConstMatrixView<float> votes, Index field, Index stride,
                    Index zoom = 8);

}  // namespace krica
