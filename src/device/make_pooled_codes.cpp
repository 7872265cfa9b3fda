// SPDX-License-Identifier: BSD-3-Clause
#include "device/make_pooled_codes.hpp"

#include <algorithm>

#include "device/device_error.hpp"
#include "device/devices.hpp"

namespace krica::device {
namespace {

constexpr int kWidestGradient = 128;  // of a patch, for Hopper's kernels

}  // namespace

CellMembers members_of_cells(const PoolSpec& pool) {
  CellMembers cells;
  for (const auto& zones : pool.cells) {
    cells.members.insert(cells.members.end(), zones.begin(), zones.end());
    cells.begins.push_back(static_cast<int>(cells.members.size()));
  }
  return cells;
}

CellMembers cells_of_zones(const PoolSpec& pool) {
  CellMembers zones;
  for (std::size_t z = 0; z < pool.zones.size(); ++z) {
    for (std::size_t g = 0; g < pool.cells.size(); ++g) {
      if (std::ranges::count(pool.cells[g], static_cast<int>(z)) > 0)
        zones.members.push_back(static_cast<int>(g));
    }
    zones.begins.push_back(static_cast<int>(zones.members.size()));
  }
  return zones;
}

bool suits_hopper(const PatchSpec& patch, const AtomSpec& atoms,
                  const PooledCodesOptions& options) {
  const int widest = std::max(patch.inputs(), patch.values());
  if (options.every_card || options.float_images || width_for(widest) == 0) return false;
  if (patch.pixel_scale != 1) return false;
  if (!options.with_gradient) return true;
  return options.products != Products::kFloat32 && width_for(widest) <= kWidestGradient &&
         atoms.kind != CodeKind::kTriangle;
}

std::unique_ptr<PooledCodes> make_pooled_codes(const PatchSpec& patch, const PoolSpec& pool,
                                               const AtomSpec& atoms,
                                               const PooledCodesOptions& options) {
  require_usable(patch, pool, atoms);
  if (options.with_gradient && atoms.kind == CodeKind::kTriangle)
    throw DeviceError(Trouble::kUnsupported, "[device] no gradient of the triangle code");
  if (device_facts().hopper && suits_hopper(patch, atoms, options))
    return make_hopper_codes(patch, pool, atoms, options);
  return make_every_card_codes(patch, pool, atoms, options);
}

}  // namespace krica::device
