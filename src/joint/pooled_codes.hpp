// SPDX-License-Identifier: BSD-3-Clause
//
// Pooled codes of a batch of images in memory, and their derivative with respect to the atoms: the
// two steps that account for nearly all the work of max-margin training, each a single operation,
// so that an accelerator could take them over.
//
//   forward    Z(I, g·C + u) = weight_g Σ_{p in cell g} s_u(x_p)       N × cells·C, C channels
//   backward   from Q = ∂L/∂Z: A_pu = Σ_{cells g with p} weight_g Q(I, g·C + u) is ∂L/∂s_u(x_p);
//              from there code_layer.hpp
//
// Patches and codes are computed tile by tile, the latter again for the backward pass; neither is
// ever stored for a whole image. Images are processed in parts whose sums are added in a fixed
// order: the bits do not depend on the number of threads. In contexts that share rows, a rank
// computes with the parts of own_images(), and only they need to be given; gradients are sums over
// all ranks.
#pragma once

#include <span>

#include "krica/features/encoder.hpp"
#include "krica/runtime/context.hpp"
#include "runtime/ordered_reduce.hpp"

namespace krica {

class PatchSource;

/// Atoms with their code; shapes as in Encoder: one per atom, or none.
template <class Scalar>
struct CodedAtoms {
  EncoderOptions encoder;
  ConstMatrixView<Scalar> W;
  std::span<const Scalar> shapes = {};

  [[nodiscard]] Index channels() const { return channels_of(encoder, W.rows()); }
};

/// Whether pool_codes_backward supports the code: all but hard and lasso.
bool has_derivative(EncoderKind kind);

/// The parts of a batch.
inline Partition image_parts(Index images) { return sum_parts(images, 1); }
/// The images that this rank computes with.
Range own_images(const Context& context, Index images);

/// images: one planar image per row. Overwrites the rows of Z that belong to own_images().
template <class Scalar>
void pool_codes(const Context& context, const PatchSource& source, ConstMatrixView<float> images,
                const CodedAtoms<Scalar>& atoms, MatrixView<Scalar> Z);

/// Overwrites gradient_W (K × n), and gradient_shapes (K values) unless it is empty: with respect
/// to t or b, and for the Gaussian to log γ.
template <class Scalar>
void pool_codes_backward(const Context& context, const PatchSource& source,
                         ConstMatrixView<float> images, const CodedAtoms<Scalar>& atoms,
                         ConstMatrixView<Scalar> Q, MatrixView<Scalar> gradient_W,
                         std::span<Scalar> gradient_shapes);

}  // namespace krica
