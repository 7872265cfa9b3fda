// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of preprocess.cuh for a PatchSpec: where a patch's pixels lie, and the whitening as a sum
// of bf16 matrices in the tensor cores' layout (hopper.cuh), P = P₁ + P₂ (+ P₃) to 16 (24) bits.
#pragma once

#include <cstdint>
#include <vector>

#include "device/specs.hpp"

namespace krica::device {

struct PatchTables {
  int width = 0;                         ///< of the kernel
  int splits = 0;                        ///< 2, or 3 for Operand::kTf32Split
  std::vector<int> pixels;               ///< width: offsets of a patch's pixels, -1 behind them
  std::vector<std::uint16_t> transform;  ///< splits × width × width, bf16
  std::vector<float> transform_sums;     ///< width: P1
  std::vector<float> offsets;            ///< width

  /// Throws DeviceError (kUnsupported).
  PatchTables(const PatchSpec& spec, Operand operand);
  /// Where P's element of input k and output o lies in each of its parts.
  [[nodiscard]] std::size_t element(int k, int o) const;
};

/// The nearest bf16, ties to even; and back.
std::uint16_t bf16_bits(float x);
float from_bf16(std::uint16_t half);

}  // namespace krica::device
