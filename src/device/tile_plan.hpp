// SPDX-License-Identifier: BSD-3-Clause
//
// TilePlan: how an image's positions are laid out for encode_pool.cuh. Positions come zone by zone,
// each zone filled up to groups of 8; chunks of `columns` positions form tiles. A zone that a
// tile's end cuts gives several partial sums, the slots.
#pragma once

#include <vector>

#include "device/specs.hpp"

namespace krica::device {

/// Where zones end in a chunk: bit j for its j-th group of 8 columns; and the slot of its first.
struct alignas(8) ChunkZones {
  unsigned ends;
  int first_slot;
};

struct TilePlan {
  int columns = 0;  ///< of a chunk
  int chunks = 0;   ///< of a tile
  int tiles = 0;
  int slots = 0;
  std::vector<int> places;              ///< rows(): offset of the first pixel, or -1
  std::vector<ChunkZones> chunk_zones;  ///< tiles × chunks
  std::vector<int> slot_zones;          ///< the zone of each slot
  bool slots_are_cells = false;

  [[nodiscard]] int rows() const { return tiles * chunks * columns; }
  TilePlan() = default;
  /// At most `most_chunks` chunks to a tile; the fewest chunks in all, then the fewest tiles.
  TilePlan(const PoolSpec& pool, int columns, int most_chunks);

 private:
  void choose_tiles(int groups, int most_chunks);
  [[nodiscard]] bool zones_stay_whole(const std::vector<int>& sizes) const;
  void place_zones(const PoolSpec& pool, const std::vector<int>& sizes);
};

}  // namespace krica::device
