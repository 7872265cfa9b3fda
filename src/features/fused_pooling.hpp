// SPDX-License-Identifier: BSD-3-Clause
//
// Codes that are summed over patches without ever being stored: the inner loop of feature
// extraction.
//
// Every code that it knows is a function of affine maps of the patch and its squared norm,
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
// so atoms are packed once into panels as wide as a few vector registers, a tile of patches times a
// panel is accumulated in registers, mapped there, and added to the sums of its cell. Triangle and
// hard codes need a patch's distances to all atoms first; these pass through a buffer of a few
// patches. Written with Highway: every instruction set from one source, chosen at run time.
//
// Rounding: a has an error of about 1e-7 of its largest term. So a Gaussian code is off by about
// γ (‖w‖² + ‖x‖²) 1e-7 of itself, and the distance of a patch from an equal atom comes out as 1e-3
// rather than 0.
#pragma once

#include <memory>
#include <span>

#include "krica/features/encoder.hpp"
#include "runtime/parallel.hpp"

namespace krica {

class FusedPooling {
 public:
  /// Packs the encoder's atoms. Null for encoders that have no such form.
  static std::unique_ptr<const FusedPooling> of(const Encoder& encoder);
  virtual ~FusedPooling() = default;

  /// For every cell c: sums[c · channels + u] += Σ s_u(x) over the patches x in rows cells[c]. One
  /// thread.
  virtual void add(ConstMatrixView<float> patches, std::span<const Range> cells,
                   float* sums) const = 0;
};

}  // namespace krica
