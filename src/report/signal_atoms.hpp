// SPDX-License-Identifier: BSD-3-Clause
//
// Atoms of samples as curves of their values.
#pragma once

#include <string>
#include <vector>

#include "krica/data/image.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

/// A sheet of small plots, one per atom, each with a line at zero and scaled to the atom's largest
/// absolute value. atoms: K × n; with several channels each is a curve in its own shade, and a row
/// holds all of channel 0, then of channel 1, and so on. `groups` holds rows of atoms, each group
/// starting a new line; `names`, if not empty, has a heading for each group. Throws InvalidArgument
/// for no atoms, and if the number of values is not a multiple of the channels.
Image draw_signal_atoms(ConstMatrixView<float> atoms, Index channels,
                        const std::vector<std::vector<Index>>& groups,
                        const std::vector<std::string>& names = {});

/// One atom as a line of block characters (UTF-8), at most `columns` wide: from minus its largest
/// absolute value (a low block) to plus the same.
std::string sparkline(ConstMatrixView<float> atom, Index columns);

}  // namespace krica
