// SPDX-License-Identifier: BSD-3-Clause
//
// Local codes: a patch x is written as a combination of the k atoms nearest to it, whose weights
// sum to 1; the other atoms have the weight 0.
//
//   weights    γ = c / Σ_j c_j,  (C + β tr(C) I) c = 1,  C_ij = (w_i - x)·(w_j - x),  β = 1e-4
//   llc        s_u = γ_u                                                              K channels
//   tangents   σ γ_u of all atoms, then γ_u U_ut·(x - w_u) of all atoms, t = 1 ... d     K + K d
//
// with d orthonormal directions U_ut per atom (tangents.hpp) and a scale σ. The weights are
// the approximated code of J. Wang, J. Yang, K. Yu, F. Lv, T. Huang, Y. Gong, "Locality-constrained
// Linear Coding for Image Classification", CVPR 2010. The tangents are from K. Yu, T. Zhang,
// "Improved Local Coordinate Coding using Local Tangents", ICML 2010: a smooth function is
// approximated by f(x) ≈ Σ_u γ_u(x) [f(w_u) + ½ ∇f(w_u)·(x - w_u)], which is linear in the code.
// Here γ is the code of the first paper instead of a lasso's, in closed form.
#pragma once

#include <span>
#include <vector>

#include "krica/features/encoder.hpp"
#include "runtime/parallel.hpp"

namespace krica {

/// The weights of one patch after the other; the memory is reused.
template <class Scalar>
class LocalCode {
 public:
  /// Keeps the atoms (K×n) by reference; neighbours in 1 ... K.
  LocalCode(ConstMatrixView<Scalar> atoms, Index neighbours);

  /// distances: ‖x - w_u‖² for all K atoms. Of equally distant atoms the first are taken.
  void set(const Scalar* x, const Scalar* distances);

  /// Nearest first.
  [[nodiscard]] std::span<const Index> atoms() const { return nearest_; }
  [[nodiscard]] std::span<const Scalar> weights() const { return weights_; }
  /// w - x of a neighbour, by its place in atoms().
  [[nodiscard]] const Scalar* difference(Index place) const { return differences_.row(place); }

 private:
  void find_nearest(const Scalar* distances);
  void solve_weights();

  ConstMatrixView<Scalar> dictionary_;
  std::vector<Index> nearest_;
  std::vector<Scalar> nearest_distances_;
  std::vector<Scalar> weights_;
  Matrix<Scalar> differences_;      // k×n
  std::vector<double> covariance_;  // k×k, then its Cholesky factor
  std::vector<double> solution_;
};

/// The llc and tangents encoders.
class LocalCoding {
 public:
  /// Keeps the atoms and tangents (K d × n, atom by atom; empty for llc) by reference.
  LocalCoding(const EncoderOptions& options, ConstMatrixView<float> atoms,
              ConstMatrixView<float> tangents);

  [[nodiscard]] Index channels() const { return atoms_.rows() + tangents_.rows(); }

  /// Codes one tile of patches. Single-threaded.
  void encode(ConstMatrixView<float> patches, MatrixView<float> codes) const;

  /// The same, adding the code of every patch in rows cells[c] to sums[c · channels ...]: only the
  /// few values other than 0 are touched.
  void add(ConstMatrixView<float> patches, std::span<const Range> cells, float* sums) const;

 private:
  void add(const LocalCode<float>& code, float* channels) const;

  ConstMatrixView<float> atoms_;
  ConstMatrixView<float> tangents_;
  std::vector<float> norms_;
  Index neighbours_;
  Index tangents_per_atom_;
  float scale_;
};

}  // namespace krica
