// SPDX-License-Identifier: BSD-3-Clause
//
// Pooled codes of a batch of images in memory, and their derivative in the atoms: the two steps of
// max-margin training in which nearly all work lies, each one operation, as an accelerator would
// take them over.
//
//   forward    Z(I, g·C + u) = weight_g Σ_{p in cell g} s_u(x_p)       N × cells·C, C channels
//   backward   from Q = ∂L/∂Z: A_pu = Σ_{cells g with p} weight_g Q(I, g·C + u) is ∂L/∂s_u(x_p);
//              from there code_layer.hpp
//
// Inside, patches are made, and codes recomputed, tile by tile; neither is ever held for an image.
// Images
// are worked through in parts whose sums are added in a fixed order: the bits do not depend on the
// number of threads.
#pragma once

#include <span>

#include "krica/features/encoder.hpp"
#include "krica/runtime/context.hpp"

namespace krica {

class PatchSource;

/// Atoms with the code that they give; shapes as in Encoder: one an atom, or none.
template <class Scalar>
struct CodedAtoms {
  EncoderOptions encoder;
  ConstMatrixView<Scalar> W;
  std::span<const Scalar> shapes = {};

  [[nodiscard]] Index channels() const { return channels_of(encoder.kind, W.rows()); }
};

/// Whether pool_codes_backward knows the code's derivative: all but hard and lasso.
bool has_derivative(EncoderKind kind);

/// images: a planar image a row. Overwrites Z.
template <class Scalar>
void pool_codes(const Context& context, const PatchSource& source, ConstMatrixView<float> images,
                const CodedAtoms<Scalar>& atoms, MatrixView<Scalar> Z);

/// Overwrites gradient_W (K × n), and gradient_shapes (K values) unless it is empty: in t or b, and
/// for the Gaussian in log γ.
template <class Scalar>
void pool_codes_backward(const Context& context, const PatchSource& source,
                         ConstMatrixView<float> images, const CodedAtoms<Scalar>& atoms,
                         ConstMatrixView<Scalar> Q, MatrixView<Scalar> gradient_W,
                         std::span<Scalar> gradient_shapes);

}  // namespace krica
