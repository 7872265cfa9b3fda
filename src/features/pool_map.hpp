// SPDX-License-Identifier: BSD-3-Clause
//
// Pooling whole maps.
#pragma once

#include "features/pooling_grid.hpp"
#include "krica/data/image_set.hpp"

namespace krica {

/// Pools a planar map over the grid's cells: cells × channels.
void pool_map(const PoolingGrid& grid, const ImageShape& map, const float* planar, float* cells);

}  // namespace krica
