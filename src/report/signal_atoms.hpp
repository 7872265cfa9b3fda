// SPDX-License-Identifier: BSD-3-Clause
//
// Atoms of samples as curves: the values of an atom over their numbers.
#pragma once

#include <string>
#include <vector>

#include "krica/data/image.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

/// A sheet of small plots, one per atom, each with a line at zero and stretched to the atom's
/// largest absolute value. atoms: K × n; of several channels each is a curve of its own shade, and
/// a row holds all of channel 0, then of channel 1, and so on. `groups` holds rows of atoms, each
/// group beginning a new line; `names`, where not empty, has a heading for every group. Throws
/// InvalidArgument for no atoms, and for values that are no multiple of the channels.
Image draw_signal_atoms(ConstMatrixView<float> atoms, Index channels,
                        const std::vector<std::vector<Index>>& groups,
                        const std::vector<std::string>& names = {});

/// One atom as a line of block characters (UTF-8), `columns` at most: from its largest absolute
/// value below zero (a low block) to the same above.
std::string sparkline(ConstMatrixView<float> atom, Index columns);

}  // namespace krica
