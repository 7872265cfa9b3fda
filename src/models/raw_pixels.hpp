// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/data/image_set.hpp"
#include "krica/features/feature_matrix.hpp"

namespace krica {

/// The pixels as features: images × values. Throws InvalidArgument for images of a different shape.
FeatureMatrix raw_pixels(const Context& context, const ImageSet& images, const ImageShape& shape);

}  // namespace krica
