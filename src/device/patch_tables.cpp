// SPDX-License-Identifier: BSD-3-Clause
#include "device/patch_tables.hpp"

#include <algorithm>
#include <bit>

namespace krica::device {

std::uint16_t bf16_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

float from_bf16(std::uint16_t half) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
}

std::size_t PatchTables::element(int k, int o) const {
  return static_cast<std::size_t>(o / 8) * static_cast<std::size_t>(width) * 8 +
         static_cast<std::size_t>(k / 8 * 64 + o % 8 * 8 + k % 8);
}

PatchTables::PatchTables(const PatchSpec& spec, Operand operand)
    : width(kernel_width(std::max(spec.inputs(), spec.values()))),
      splits(operand == Operand::kTf32Split ? 3 : 2) {
  const auto side = static_cast<std::size_t>(width);
  const int plane = spec.field * spec.field;
  pixels.assign(side, -1);
  for (int k = 0; k < spec.inputs(); ++k) {
    pixels[static_cast<std::size_t>(k)] = k / plane * spec.height * spec.width +
                                          k % plane / spec.field * spec.width +
                                          k % plane % spec.field;
  }
  transform.assign(side * side * static_cast<std::size_t>(splits), 0);
  transform_sums.assign(side, 0.0F);
  offsets.assign(side, 0.0F);
  const int outputs = spec.values();
  for (int o = 0; o < outputs; ++o) {
    double sum = 0;
    for (int k = 0; k < spec.inputs(); ++k) {
      float rest = spec.outputs > 0 ? spec.transform[k * outputs + o] : (k == o ? 1.0F : 0.0F);
      sum += static_cast<double>(rest);
      for (int split = 0; split < splits; ++split) {
        const std::uint16_t part = bf16_bits(rest);
        rest -= from_bf16(part);
        transform[static_cast<std::size_t>(split) * side * side + element(k, o)] = part;
      }
    }
    transform_sums[static_cast<std::size_t>(o)] = static_cast<float>(sum);
    if (spec.outputs > 0) offsets[static_cast<std::size_t>(o)] = spec.offset[o];
  }
}

}  // namespace krica::device
