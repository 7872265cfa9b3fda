// SPDX-License-Identifier: BSD-3-Clause
//
// Which patches a rank holds, where they are divided among ranks (runtime/ranks.hpp).
#pragma once

#include "clustering/shared_assignment.hpp"
#include "runtime/ranks.hpp"

namespace krica {

inline HeldRows held_patches(Index patches) {
  return {patches, halo_of(patches, lloyd::longest_part(patches) + 1)};
}

}  // namespace krica
