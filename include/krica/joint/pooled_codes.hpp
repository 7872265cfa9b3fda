// SPDX-License-Identifier: BSD-3-Clause
//
// Pooled codes of a batch of images, and their derivative in the atoms: the two steps of joint
// training in which nearly all work lies, and the ones that an accelerator would take over.
//
//   forward    Z(I, g·C + u) = weight_g Σ_{p in cell g} s_u(x_p)       N × cells·C, C channels
//   backward   from Q = ∂L/∂Z: A_pu = Σ_{cells g with p} weight_g Q(I, g·C + u) is ∂L/∂s_u(x_p);
//              from there code_layer.hpp
//
// Patches are made, and codes recomputed, tile by tile; neither is ever held for an image. Images
// are worked through in parts whose sums are added in a fixed order: the bits do not depend on the
// number of threads.
#pragma once

#include <span>

#include "krica/features/encoder.hpp"
#include "krica/features/pooling_grid.hpp"
#include "krica/runtime/context.hpp"

namespace krica {

/// The preprocessed patches of a batch of images.
template <class Scalar>
class PatchTiles {
 public:
  PatchTiles() = default;
  PatchTiles(const PatchTiles&) = delete;
  PatchTiles& operator=(const PatchTiles&) = delete;
  virtual ~PatchTiles() = default;

  [[nodiscard]] virtual Index images() const = 0;
  /// Patches at positions first ... first + patches.rows() - 1 (the grid's order) of one image.
  /// Called from several threads.
  virtual void read(Index image, Index first, MatrixView<Scalar> patches) const = 0;
};

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

/// Overwrites Z.
template <class Scalar>
void pool_codes(const Context& context, const PoolingGrid& grid, const PatchTiles<Scalar>& patches,
                const CodedAtoms<Scalar>& atoms, MatrixView<Scalar> Z);

/// Overwrites gradient_W (K × n), and gradient_shapes (K values) unless it is empty: in t or b, and
/// for the Gaussian in log γ.
template <class Scalar>
void pool_codes_backward(const Context& context, const PoolingGrid& grid,
                         const PatchTiles<Scalar>& patches, const CodedAtoms<Scalar>& atoms,
                         ConstMatrixView<Scalar> Q, MatrixView<Scalar> gradient_W,
                         std::span<Scalar> gradient_shapes);

}  // namespace krica
