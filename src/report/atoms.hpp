// SPDX-License-Identifier: BSD-3-Clause
//
// A picture of a basis: every atom as a tile, with zero in mid-grey, each scaled to its own largest
// value.
#pragma once

#include <vector>

#include "krica/data/image.hpp"

namespace krica {

/// atoms: K × side²·channels, channel by channel (channels 1 or 3). Tiles are enlarged `zoom`
/// times, a pixel apart, in the given order row by row on a nearly square sheet. Throws
/// InvalidArgument for mismatched shapes.
Image draw_atoms(ConstMatrixView<float> atoms, Index side, Index channels, Index zoom = 4);

/// The same in groups, each starting a new line below a wider gap; `groups` holds rows of atoms.
/// Empty groups are skipped.
Image draw_atom_groups(ConstMatrixView<float> atoms, Index side, Index channels,
                       const std::vector<std::vector<Index>>& groups, Index zoom = 4);

}  // namespace krica
