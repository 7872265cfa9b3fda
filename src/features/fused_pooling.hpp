// SPDX-License-Identifier: BSD-3-Clause
//
// Sums codes over patches without storing them: the inner loop of feature extraction.
//
// Every supported code is a function of affine maps of the patch and its squared norm,
//
//   a_u = v_u·x + c_u ‖x‖² + d_u,
//
//   Gaussian                 v = 2γw, c = -γ, d = -γ‖w‖² (all times log₂e)   s = 2^a
//   inverse distances        v = -2w, c = 1,  d = ‖w‖²                       of ‖w-x‖² = a
//   polynomial               v = w,   c = 0,  d = 0                          of w·x = a
//   linear, abs              v = w,   c = 0,  d = 0                          s = a, |a|
//   soft threshold           v = w,   c = 0,  d = 0                          s = max(0, ±a - t)
//   triangle, hard           v = -2w, c = 1,  d = ‖w‖²                       from a of all atoms
//
// so atoms are packed once into panels a few vector registers wide; the product of a tile of
// patches and a panel is accumulated in registers, mapped there, and added to the sums of its cell.
// Triangle and hard codes first need a patch's distances to all atoms, which go through a buffer of
// a few patches. Written with Highway: one source for all instruction sets, selected at run time.
//
// Rounding: a has an error of about 1e-7 of its largest term. A Gaussian code therefore has a
// relative error of about γ (‖w‖² + ‖x‖²) 1e-7, and the distance between a patch and an equal atom
// is about 1e-3 rather than 0.
#pragma once

#include <memory>
#include <span>

#include "krica/features/encoder.hpp"
#include "runtime/parallel.hpp"

namespace krica {

class FusedPooling {
 public:
  /// Packs the encoder's atoms. Null for encoders without such a form.
  static std::unique_ptr<const FusedPooling> of(const Encoder& encoder);
  virtual ~FusedPooling() = default;

  /// For every cell c: sums[c · channels + u] += Σ s_u(x) over the patches x in rows cells[c].
  /// Single-threaded.
  virtual void add(ConstMatrixView<float> patches, std::span<const Range> cells,
                   float* sums) const = 0;
};

}  // namespace krica
