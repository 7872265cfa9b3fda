// SPDX-License-Identifier: BSD-3-Clause
#include "device/tile_plan.hpp"

#include <algorithm>
#include <numeric>

namespace krica::device {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

bool are_cells(const PoolSpec& pool, int slots) {
  if (at(slots) != pool.cells.size() || pool.zones.size() != pool.cells.size()) return false;
  for (std::size_t g = 0; g < pool.cells.size(); ++g) {
    if (pool.cells[g] != std::vector<int>{static_cast<int>(g)} || pool.weights[g] != 1)
      return false;
  }
  return true;
}

}  // namespace

TilePlan::TilePlan(const PoolSpec& pool, int columns_of_chunk, int most_chunks)
    : columns(columns_of_chunk) {
  std::vector<int> sizes;  // of zones, in groups
  for (const auto& zone : pool.zones) sizes.push_back((static_cast<int>(zone.size()) + 7) / 8);
  choose_tiles(std::accumulate(sizes.begin(), sizes.end(), 0), most_chunks);
  place_zones(pool, sizes);
  slots_are_cells = are_cells(pool, slots);
}

void TilePlan::choose_tiles(int groups, int most_chunks) {
  const int chunk_groups = columns / 8;
  const int needed = (groups + chunk_groups - 1) / chunk_groups;
  const int fewest = (needed + most_chunks - 1) / most_chunks;
  tiles = fewest;
  for (int t = fewest; t <= std::min(needed, 4 * fewest); ++t) {
    const auto total = [&](int count) { return (needed + count - 1) / count * count; };
    if (total(t) < total(tiles)) tiles = t;
  }
  chunks = (needed + tiles - 1) / tiles;
}

bool TilePlan::zones_stay_whole(const std::vector<int>& sizes) const {
  const int tile_groups = chunks * columns / 8;
  int tile = 0;
  int used = 0;
  for (const int size : sizes) {
    if (size > tile_groups) return false;
    if (used + size > tile_groups) {
      ++tile;
      used = 0;
    }
    used += size;
  }
  return tile < tiles;
}

void TilePlan::place_zones(const PoolSpec& pool, const std::vector<int>& sizes) {
  const int chunk_groups = columns / 8;
  const int tile_groups = chunks * chunk_groups;
  const bool whole = zones_stay_whole(sizes);
  places.assign(at(rows()), -1);
  chunk_zones.assign(at(tiles * chunks), {0, 0});
  std::vector<int> ends;  // group with which each slot ends
  int group = 0;
  for (std::size_t z = 0; z < pool.zones.size(); ++z) {
    if (whole && group % tile_groups + sizes[z] > tile_groups)
      group = (group / tile_groups + 1) * tile_groups;
    for (int g = 0; g < sizes[z]; ++g, ++group) {
      for (int i = 8 * g; i < std::min(8 * g + 8, static_cast<int>(pool.zones[z].size())); ++i)
        places[at(8 * group + i - 8 * g)] = pool.zones[z][at(i)];
      if (g == sizes[z] - 1 || (group + 1) % tile_groups == 0) {
        ends.push_back(group);
        slot_zones.push_back(static_cast<int>(z));
        chunk_zones[at(group / chunk_groups)].ends |= 1U << group % chunk_groups;
      }
    }
  }
  slots = static_cast<int>(ends.size());
  std::size_t slot = 0;
  for (int c = 0; c < tiles * chunks; ++c) {
    while (slot < ends.size() && ends[slot] < c * chunk_groups) ++slot;
    chunk_zones[at(c)].first_slot = static_cast<int>(slot);
  }
}

}  // namespace krica::device
