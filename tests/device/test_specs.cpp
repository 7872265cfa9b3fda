// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "device/device_error.hpp"
#include "device/problem.hpp"
#include "features/pooling_grid.hpp"
#include "krica/runtime/error.hpp"

namespace krica::device {
namespace {

PatchSpec patch_of(int height, int width, int field) {
  PatchSpec patch;
  patch.channels = 1;
  patch.height = height;
  patch.width = width;
  patch.field = field;
  return patch;
}

TEST(DeviceSpecs, PoolingGridIsTheLibrarys) {
  for (const bool overlap : {false, true}) {
    const PoolSpec pool = pooling_grid(patch_of(32, 29, 6), 1, 4, 3, overlap);
    PoolingOptions options;
    options.levels = PoolLevels::from_text("4x3");
    options.overlap = overlap;
    const PoolingGrid grid(options, {27, 24});
    ASSERT_EQ(static_cast<Index>(pool.zones.size()), grid.zones());
    std::vector<std::vector<Index>> cells_of(pool.zones.size());
    for (std::size_t g = 0; g < pool.cells.size(); ++g) {
      for (const int zone : pool.cells[g])
        cells_of[static_cast<std::size_t>(zone)].push_back(static_cast<Index>(g));
      const auto size = static_cast<float>(grid.cell_size(static_cast<Index>(g)));
      EXPECT_FLOAT_EQ(pool.weights[g], overlap ? 1 / size : 1);
    }
    Index position = 0;
    for (std::size_t z = 0; z < pool.zones.size(); ++z) {
      EXPECT_EQ(cells_of[z], grid.cells_of(static_cast<Index>(z)));
      for (const int place : pool.zones[z]) {
        const PoolingGrid::Run run = grid.run_at(position++);
        EXPECT_EQ(place, run.row * 29 + run.col);
        EXPECT_EQ(run.zone, static_cast<Index>(z));
      }
    }
    EXPECT_EQ(position, grid.positions());
  }
}

TEST(DeviceSpecs, StridesSkipPixels) {
  const PoolSpec pool = pooling_grid(patch_of(9, 7, 3), 2, 1, 1);
  EXPECT_EQ(pool.zones,
            (std::vector<std::vector<int>>{{0, 2, 4, 14, 16, 18, 28, 30, 32, 42, 44, 46}}));
}

TEST(DeviceSpecs, RefuseWhatMakesNoSense) {
  EXPECT_THROW(pooling_grid(patch_of(5, 9, 6), 1, 1, 1), InvalidArgument);
  EXPECT_THROW(pooling_grid(patch_of(9, 9, 6), 0, 1, 1), InvalidArgument);
  EXPECT_THROW(pooling_grid(patch_of(9, 9, 6), 1, 5, 1), InvalidArgument);
  const Problem problem(3, 9, 9, 6, 1, 1, 1, CodeKind::kLinear, 2, 1);
  const auto refused = [&](auto&& spoil) {
    PatchSpec patch = problem.patch_spec();
    PoolSpec pool = problem.pool;
    AtomSpec atoms = problem.atom_spec();
    spoil(patch, pool, atoms);
    EXPECT_THROW(require_usable(patch, pool, atoms), InvalidArgument);
  };
  EXPECT_NO_THROW(require_usable(problem.patch_spec(), problem.pool, problem.atom_spec()));
  refused([](PatchSpec& patch, PoolSpec&, AtomSpec&) { patch.channels = 0; });
  refused([](PatchSpec& patch, PoolSpec&, AtomSpec&) { patch.transform = nullptr; });
  refused([](PatchSpec&, PoolSpec& pool, AtomSpec&) { pool.weights.clear(); });
  refused([](PatchSpec&, PoolSpec&, AtomSpec& atoms) { atoms.count = 0; });
  refused([](PatchSpec&, PoolSpec&, AtomSpec& atoms) { atoms.W = nullptr; });
  AtomSpec more = problem.atom_spec();
  EXPECT_NO_THROW(require_same_atoms(more, problem.atoms));
  ++more.count;
  EXPECT_THROW(require_same_atoms(more, problem.atoms), InvalidArgument);
}

TEST(DeviceSpecs, PatchesOfMoreThan192ValuesHaveNoKernel) {
  EXPECT_EQ(kernel_width(108), 112);
  EXPECT_EQ(kernel_width(192), 192);
  const Problem wide(3, 32, 32, 9, 1, 2, 2, CodeKind::kGaussian, 8, 17);
  try {
    static_cast<void>(kernel_width(wide.patch.inputs()));
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.trouble(), Trouble::kUnsupported);
    EXPECT_STREQ(error.what(), "[device] no kernel for patches of 243 values");
  }
}

TEST(DeviceSpecs, ConstantColumnsNeedUnitNormAndRoom) {
  EXPECT_EQ(constants_at(108, 112, true), 108);
  EXPECT_EQ(constants_at(107, 112, true), 108);
  EXPECT_EQ(constants_at(109, 112, true), -1);
  EXPECT_EQ(constants_at(108, 112, false), -1);
}

}  // namespace
}  // namespace krica::device
