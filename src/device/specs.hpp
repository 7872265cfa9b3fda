// SPDX-License-Identifier: BSD-3-Clause
//
// What PooledEncoder computes: patches, pooling cells and atoms.
#pragma once

#include <vector>

#include "device/code_kind.hpp"
#include "device/operand_layout.hpp"
#include "device/products.hpp"

namespace krica::device {

Operand operand_of(Products precision);

/// What becomes of a patch; pointers are to host memory and need not last.
struct PatchSpec {
  int channels = 3;
  int height = 0;
  int width = 0;
  int field = 6;
  float pixel_scale = 1;             ///< takes pixels to 0 ... 255
  double contrast_epsilon = 10;      ///< 0: no contrast normalisation
  int outputs = 0;                   ///< of the whitening; 0: none is done
  const float* transform = nullptr;  ///< inputs × outputs
  const float* offset = nullptr;     ///< outputs: mean · transform
  bool unit_norm = true;

  [[nodiscard]] int inputs() const { return channels * field * field; }
  [[nodiscard]] int values() const { return outputs > 0 ? outputs : inputs(); }
};

/// Positions (offset of the upper left pixel in a plane) zone by zone, and the cells' zones.
struct PoolSpec {
  std::vector<std::vector<int>> zones;
  std::vector<std::vector<int>> cells;
  std::vector<float> weights;  ///< of cells
};
/// One level of the grids of features/pooling_grid.hpp. Throws InvalidArgument.
PoolSpec pooling_grid(const PatchSpec& patch, int stride, int rows, int cols, bool overlap = false);

/// Pointers are to memory of the host or the device.
struct AtomSpec {
  CodeKind kind = CodeKind::kGaussian;
  int count = 0;
  const float* W = nullptr;       ///< count × values
  const float* shapes = nullptr;  ///< count: γ, t or b; or null for `shape`
  float shape = 1;
  float scale = 1;  ///< b of the inverse distances
  int degree = 3;   ///< of the polynomial

  [[nodiscard]] int channels() const { return count * channels_per_atom(kind); }
};

/// Throws InvalidArgument for what makes no sense.
void require_usable(const PatchSpec& patch, const PoolSpec& pool, const AtomSpec& atoms);
/// Throws InvalidArgument unless they are as many and of the same kind.
void require_same_atoms(const AtomSpec& atoms, const AtomSpec& before);
/// The width of the kernel for so many values. Throws DeviceError (kUnsupported).
int kernel_width(int values);

}  // namespace krica::device
