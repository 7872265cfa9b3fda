// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/data/image.hpp"
#include "krica/runtime/matrix.hpp"
#include "patches/local_descriptors.hpp"

namespace krica {

/// An image in grey, overlaid with the votes of its patches: red for the class, blue against it,
/// with opacity by strength. votes: rows × columns of patches of `field` × `field` pixels, `stride`
/// apart, the first one at `first`; a pixel gets the mean of the patches that cover it, and the
/// largest is drawn in full colour. Enlarged `zoom` times. Throws InvalidArgument if the patches do
/// not fit.
Image draw_heat_map(const Image& image, ConstMatrixView<float> votes, Index field, Index stride,
                    Index zoom = 8, PixelPlace first = {});

}  // namespace krica
