// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krica/data/image.hpp"
#include "krica/models/model.hpp"

namespace krica {

/// Explains a model's score of an image for a class: the image; the same in grey, overlaid with the
/// votes of its patches (heat_map.hpp), with a legend; and the atoms that contribute most to the
/// score, un-whitened, with their contributions. The longer side of each picture is at least 256
/// pixels. `image` is planar, of `shape`; `title` is the first line. For a sample: its
/// values as a curve, and the curves of the atoms. Throws like position_votes.
Image draw_explanation(const Model& model, const float* image, const ImageShape& shape, Index which,
                       const std::string& title);

}  // namespace krica
