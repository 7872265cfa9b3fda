// SPDX-License-Identifier: BSD-3-Clause
//
// A fixed-width font of 5 × 8 pixels for printable ASCII.
#pragma once

#include "krica/runtime/matrix.hpp"

namespace krica {

inline constexpr Index kGlyphColumns = 5;
inline constexpr unsigned char kFirstGlyph = ' ';
inline constexpr unsigned char kLastGlyph = '~';

/// One column of a printable character: bit 0 is the top pixel.
unsigned glyph_column(char character, Index column);

}  // namespace krica
