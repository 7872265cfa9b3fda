// SPDX-License-Identifier: BSD-3-Clause
//
// Pooled codes of a batch of images, and their derivative in the atoms: the two steps of joint
// training in which nearly all work lies, and the ones that an accelerator would take over.
//
//   forward    Z(I, g·K + u) = weight_g Σ_{p in cell g} κ(w_u, x_p)       N × cells·K
//   backward   from Q = ∂L/∂Z: A_pu = Σ_{cells g with p} weight_g Q(I, g·K + u), and with the
//              slopes S' of AtomSet, M = A ∘ S':
//                ∂L/∂W as there; ∂L/∂log γ_u = ½ Σ_p M_pu ‖w_u - x_p‖²   (Gaussian)
//
// The second is ∂κ/∂log γ_u = -γ_u ‖w_u - x‖² κ with the slope -2 γ_u κ put in; the squared
// distance is taken apart, so that the sums of the first serve it too.
//
// Patches are made, and codes recomputed, tile by tile; neither is ever held for an image. Images
// are worked through in a fixed number of groups whose sums are added in order: the bits do not
// depend on the number of threads.
#pragma once

#include <span>

#include "krica/features/pooling_grid.hpp"
#include "krica/kernels/kernel.hpp"
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

/// Atoms with their kernel; gammas as in AtomSet: one an atom, or none.
template <class Scalar>
struct KernelAtoms {
  Kernel kernel;
  ConstMatrixView<Scalar> W;
  std::span<const Scalar> gammas;
};

/// Overwrites Z.
template <class Scalar>
void pool_codes(const Context& context, const PoolingGrid& grid, const PatchTiles<Scalar>& patches,
                const KernelAtoms<Scalar>& atoms, MatrixView<Scalar> Z);

/// Overwrites gradient_W (K × n), and gradient_log_gamma (K values) unless it is empty.
template <class Scalar>
void pool_codes_backward(const Context& context, const PoolingGrid& grid,
                         const PatchTiles<Scalar>& patches, const KernelAtoms<Scalar>& atoms,
                         ConstMatrixView<Scalar> Q, MatrixView<Scalar> gradient_W,
                         std::span<Scalar> gradient_log_gamma);

}  // namespace krica
