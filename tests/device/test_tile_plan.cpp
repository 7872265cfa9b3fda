// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "device/problem.hpp"
#include "device/tile_plan.hpp"

namespace krica::device {
namespace {

PoolSpec grid(int side, int cells, bool overlap = false) {
  PatchSpec patch;
  patch.height = side + 5;
  patch.width = side + 5;
  return pooling_grid(patch, 1, cells, cells, overlap);
}

/// Goes through a plan as the kernel does: the places whose codes end up in each zone.
std::map<int, std::vector<int>> places_by_zone(const TilePlan& plan) {
  std::map<int, std::vector<int>> zones;
  for (int c = 0; c < plan.tiles * plan.chunks; ++c) {
    const ChunkZones chunk = plan.chunk_zones[static_cast<std::size_t>(c)];
    int slot = chunk.first_slot;
    for (int j = 0; j < plan.columns / 8; ++j) {
      for (int i = 0; i < 8; ++i) {
        const int place = plan.places[static_cast<std::size_t>(c * plan.columns + 8 * j + i)];
        if (place >= 0) zones[plan.slot_zones[static_cast<std::size_t>(slot)]].push_back(place);
      }
      if (chunk.ends >> j & 1U) ++slot;
    }
  }
  return zones;
}

TEST(TilePlan, HoldsEveryPositionOfEveryZoneOnce) {
  for (const int side : {1, 5, 27, 60}) {
    for (const int cells : {1, 2, 3, 4}) {
      if (cells > side) continue;
      for (const bool overlap : {false, true}) {
        for (const int columns : {32, 64}) {
          for (const int most_chunks : {1, 3, 16}) {
            const PoolSpec pool = grid(side, cells, overlap);
            const TilePlan plan(pool, columns, most_chunks);
            EXPECT_LE(plan.chunks, most_chunks);
            ASSERT_EQ(static_cast<int>(plan.places.size()), plan.rows());
            auto found = places_by_zone(plan);
            for (std::size_t z = 0; z < pool.zones.size(); ++z)
              EXPECT_EQ(found[static_cast<int>(z)], pool.zones[z])
                  << side << " " << cells << " " << columns << " " << most_chunks;
            int ends = 0;
            for (const ChunkZones& chunk : plan.chunk_zones) ends += std::popcount(chunk.ends);
            EXPECT_EQ(ends, plan.slots);
          }
        }
      }
    }
  }
}

TEST(TilePlan, KeepsZonesWholeWhereTheyFit) {
  const TilePlan plan(grid(27, 2), 64, 6);
  EXPECT_EQ(plan.tiles, 2);
  EXPECT_EQ(plan.chunks, 6);
  EXPECT_EQ(plan.slots, 4);
  EXPECT_TRUE(plan.slots_are_cells);
  EXPECT_FALSE(TilePlan(grid(27, 2), 64, 4).slots_are_cells) << "a tile's end cuts a zone";
  EXPECT_FALSE(TilePlan(grid(27, 4, true), 64, 16).slots_are_cells) << "cells share zones";
}

}  // namespace
}  // namespace krica::device
