// SPDX-License-Identifier: BSD-3-Clause
//
// Dense SIFT: the gradients of a window of s × s pixels, as histograms of 8 orientations in 4 × 4
// cells of c = s/4 pixels; 128 values. Lowe, IJCV 2004; on a grid as in Lazebnik, Schmid and Ponce,
// CVPR 2006, and Yang, Yu, Gong and Huang, CVPR 2009.
//
// Of the grey image g (0.299 R + 0.587 G + 0.114 B):
//
//   gradient     g_x, g_y by central differences, one-sided at the border
//   orientation  r = 8/(2π) atan2(g_y, g_x) in [0, 8), y down; m = sqrt(g_x² + g_y²)
//   planes       P_o(y, x) = m max(0, 1 - d(r, o)), o = 0 ... 7, d the distance modulo 8; outside
//                the image 0
//   cell j, k    h_jko = Σ_y Σ_x t(y - y_j) t(x - x_k) P_o(y, x), t(d) = max(0, 1 - |d|/c)/c;
//                y_j and x_k are the centres of the cells
//
// which is Lowe's trilinear interpolation without his Gaussian weight: all cells count alike. Order
// of the values: row of cells, column of cells, orientation.
//
//   normalised   h / max(‖h‖, θ), clipped at 0.2, and again to length 1 if ‖h‖ >= θ
//
// with the contrast threshold θ, 1/32 of the image's largest grey value: nearly flat windows keep
// short vectors instead of amplified noise, and a flat window has the zero vector. Descriptors do
// not change if an image is multiplied by a constant.
//
// The grid of windows has `stride` pixels between its positions and lies in the middle of the
// image.
//
// Gradients and planes are computed once per image. A window only sums planes with the separable
// weights t: first down the rows for a whole run of positions, then across.
#pragma once

#include "patches/local_descriptors.hpp"

namespace krica {

class DenseSift final : public LocalDescriptors {
 public:
  static constexpr Index kCells = 4;  ///< along a side
  static constexpr Index kOrientations = 8;
  static constexpr Index kValues = kCells * kCells * kOrientations;

  /// The receptive field must be a multiple of 4.
  explicit DenseSift(const LocalDescriptorOptions& options);

  [[nodiscard]] Index dimensions() const override { return kValues; }
  [[nodiscard]] bool any_size() const override { return true; }
  [[nodiscard]] Positions positions(const ImageShape& shape) const override;
  [[nodiscard]] PixelPlace first_pixel(const ImageShape& shape) const override;
  [[nodiscard]] const float* prepared(const float* image, const ImageShape& shape,
                                      std::vector<float>& memory) const override;
  void read(const float* prepared, const ImageShape& shape, std::span<const PositionRun> runs,
            MatrixView<float> descriptors) const override;

 private:
  Index field_;
  Index stride_;
  Index cell_;
  std::vector<float> weights_;  // t at the pixels around a cell, from `margin` before it
};

}  // namespace krica
