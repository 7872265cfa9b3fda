// SPDX-License-Identifier: BSD-3-Clause
//
// How preprocessed patches are stored for the tensor cores: groups of 8 positions, each as core
// matrices (hopper.cuh) of `width` values, width a multiple of 16 with zeros behind the patch.
//
//   tf32         width tf32                   4 bytes a value
//   bf16         width bf16                   2
//   tf32 split   width tf32, then what they leave of the float32, as tf32      8
//   bf16 split   the same with bf16                                            4
//
// Where patches have unit norm and the width leaves room, four constant columns follow the values:
// 1, 1, ‖x‖², ‖x‖². Atoms then have d, the rounding error of d, c, and the rounding error of c in
// their place, so that the product is already the Gaussian's exponent (code_math.cuh). ‖x‖² is 1 or
// 0 and so exact; rows that only fill up a tile have kFillingNorm, which makes their code 0.
#pragma once

#include "device/host_device.hpp"

namespace krica::device {

enum class Operand { kTf32, kBf16, kTf32Split, kBf16Split };

KRICA_HOST_DEVICE constexpr bool is_split(Operand kind) {
  return kind == Operand::kTf32Split || kind == Operand::kBf16Split;
}
KRICA_HOST_DEVICE constexpr bool is_bf16(Operand kind) {
  return kind == Operand::kBf16 || kind == Operand::kBf16Split;
}
/// Bytes of 8 positions, in one of the parts and in all.
KRICA_HOST_DEVICE constexpr int part_bytes(Operand kind, int width) {
  return 8 * width * (is_bf16(kind) ? 2 : 4);
}
KRICA_HOST_DEVICE constexpr int group_bytes(Operand kind, int width) {
  return part_bytes(kind, width) * (is_split(kind) ? 2 : 1);
}

inline constexpr float kFillingNorm = 0x1p100F;
/// The first of the constant columns, which is even; -1: there are none.
KRICA_HOST_DEVICE constexpr int constants_at(int values, int width, bool unit_norm) {
  const int first = (values + 1) / 2 * 2;
  return unit_norm && width - first >= 4 ? first : -1;
}

/// Widths that kernels are compiled for. 0: none is wide enough.
KRICA_HOST_DEVICE constexpr int width_for(int values) {
  constexpr int kWidths[] = {32, 64, 80, 112, 128, 192};
  for (const int width : kWidths) {
    if (values <= width) return width;
  }
  return 0;
}

}  // namespace krica::device
