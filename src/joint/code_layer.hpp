// SPDX-License-Identifier: BSD-3-Clause
//
// CodeLayer: the codes s of a tile of patches x, and the backward pass from A = ∂L/∂s to the atoms
// w and their shapes. Every encoder's derivative is a weight M_pu times a direction, so the
// gradient is a sum over all patches:
//
//   encoder         M_pu                                ∂L/∂w_u               ∂L/∂shape_u
//   kernel          A_pu times AtomSet's slope          as there              below
//   linear          A_pu                                Σ_p M_pu x_p          -
//   abs, soft-abs   A_pu sign(a), A_pu a / s            Σ_p M_pu x_p          -
//   sigmoid         A_pu s (1 - s)                      Σ_p M_pu x_p          Σ_p M_pu
//   soft-threshold  A⁺_pu [a > t_u] - A⁻_pu [-a > t_u]  Σ_p M_pu x_p          -Σ_p (A⁺_pu [a > t_u]
//                                                                               + A⁻_pu [-a > t_u])
//   triangle        (mean_v B_pv - B_pu) / z_pu,        Σ_p M_pu (w_u - x_p)  -
//                   B_pu = A_pu [s_u > 0]
//
// with a = w_u·x_p and z = ‖x_p - w_u‖. For the Gaussian, substituting the slope -2 γ_u s into
// ∂s/∂log γ_u = -γ_u z² s gives ∂L/∂log γ_u = ½ Σ_p M_pu z_pu²; the squared distance is expanded,
// so that the sums of ∂L/∂w_u can be reused. At a kink, the derivative of a code is 0.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "joint/pooled_codes.hpp"
#include "runtime/ordered_reduce.hpp"

namespace krica {

/// The sums over patches that make up the gradient.
template <class Scalar>
struct GradientSums {
  Matrix<Scalar> products;     ///< K × n: Σ_p M_pu x_p
  std::vector<double> totals;  ///< K: Σ_p M_pu
  std::vector<double> shapes;  ///< K: further sums for ∂L/∂shape_u

  GradientSums(Index K, Index n)
      : products(K, n),
        totals(static_cast<std::size_t>(K), 0.0),
        shapes(static_cast<std::size_t>(K), 0.0) {}

  static auto members(auto& sums) { return std::tie(sums.products, sums.totals, sums.shapes); }
};

/// Scratch memory for the backward pass of one tile.
template <class Scalar>
struct TileMemory {
  Matrix<Scalar> codes;   ///< rows × channels, scratch
  Matrix<Scalar> slopes;  ///< rows × K: M
  Matrix<Scalar> sums;    ///< 2 × K, over the tile: totals, and the sums for shapes

  TileMemory(Index rows, Index K, Index channels)
      : codes(rows, channels), slopes(rows, K), sums(2, K) {}
};

template <class Scalar>
class CodeLayer {
 public:
  /// Keeps the view of the atoms. Throws InvalidArgument for codes without a derivative.
  static std::unique_ptr<const CodeLayer> of(const CodedAtoms<Scalar>& atoms);
  virtual ~CodeLayer() = default;

  /// codes(i, :) of X(i, :). One tile, single-threaded, like all members.
  virtual void encode(ConstMatrixView<Scalar> X, MatrixView<Scalar> codes) const = 0;

  /// Adds the contribution of the patches X; A[i] points to row i of ∂L/∂s.
  virtual void add(ConstMatrixView<Scalar> X, std::span<const Scalar* const> A,
                   TileMemory<Scalar>& memory, GradientSums<Scalar>& to) const = 0;

  /// The gradient of one atom (n values) from its sums.
  virtual void finish(Index atom, double total, const Scalar* products, Scalar* gradient) const = 0;
  /// The gradient of its shape; 0 if it has none.
  virtual double finish_shape(Index atom, double total, const Scalar* products,
                              double shape_sum) const = 0;
};

}  // namespace krica
