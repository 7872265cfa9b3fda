// SPDX-License-Identifier: BSD-3-Clause
//
// The number of features, and the costs of local codes and of networks, as stage_costs.hpp counts
// them.
#pragma once

#include "models/stage_costs.hpp"

namespace krica {

/// An eigendecomposition of n values costs this many times n³ operations of a product.
inline constexpr double kEigenProducts = 100;

/// Pooled codes, the pooled maps of a network, or pixels; all sizes but the classes must be set.
double features_per_image(const TrainingSizes& sizes);

/// Of one patch, besides the distances; nothing for other codes.
Cost local_code_cost(const TrainingSizes& sizes);
/// The tangents of all atoms; nothing for other codes.
Cost tangents_cost(const TrainingSizes& sizes);
/// Learning the layers of a network, whitened images included.
Cost network_cost(const TrainingSizes& sizes);
/// Of one image.
Cost network_encoding_cost(const TrainingSizes& sizes);

}  // namespace krica
