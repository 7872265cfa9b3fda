// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/data/image_set.hpp"
#include "krica/features/feature_matrix.hpp"

namespace krica {

/// The pixels as features: images × values, scaled to length 1 if wanted. Throws InvalidArgument
/// for images of a different shape.
FeatureMatrix raw_pixels(const Context& context, const ImageSet& images, const ImageShape& shape,
                         bool unit_length);

}  // namespace krica
