// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krica/models/model.hpp"

namespace krica {

/// Euclidean distances between the images' standardised features, divided by their mean over pairs
/// of different images. Images × images.
Matrix<float> scaled_distances(const Context& context, const Model& model, const ImageSet& images);

/// The ratio of the mean distance between classes to the mean distance within a class.
double block_score(const Matrix<float>& distances, const ImageSet& images);

}  // namespace krica
