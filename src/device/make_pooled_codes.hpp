// SPDX-License-Identifier: BSD-3-Clause
//
// The two implementations of PooledCodes, and what they share.
#pragma once

#include <vector>

#include "device/pooled_codes.hpp"

namespace krica::device {

/// Kernels for Hopper. Throws DeviceError (kUnsupported) on other cards and for what has no kernel.
std::unique_ptr<PooledCodes> make_hopper_codes(const PatchSpec& patch, const PoolSpec& pool,
                                               const AtomSpec& atoms,
                                               const PooledCodesOptions& options);
/// cuBLAS with kernels for all cards (every_card.cu).
std::unique_ptr<PooledCodes> make_every_card_codes(const PatchSpec& patch, const PoolSpec& pool,
                                                   const AtomSpec& atoms,
                                                   const PooledCodesOptions& options);

/// Whether Hopper's kernels can do it, on a Hopper card.
bool suits_hopper(const PatchSpec& patch, const AtomSpec& atoms, const PooledCodesOptions& options);

/// Item i has members[begins[i]] ... members[begins[i + 1] - 1].
struct CellMembers {
  std::vector<int> begins = {0};
  std::vector<int> members;
};
CellMembers members_of_cells(const PoolSpec& pool);  ///< each cell's zones
CellMembers cells_of_zones(const PoolSpec& pool);    ///< each zone's cells

}  // namespace krica::device
