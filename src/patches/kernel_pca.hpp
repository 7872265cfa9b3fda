// SPDX-License-Identifier: BSD-3-Clause
//
// Kernel PCA: the leading directions of φ(x) - mean φ in feature space, and whitening along them.
//
// With landmarks L (l samples, or all of them for the exact form) and K_LL = κ(L, L):
//   1. z(x) = K_LL^(-1/2) κ(L, x): coordinates in the span of the landmarks; exact if all
//      samples are landmarks
//   2. PCA of z over all samples: mean, covariance eigenvalues d and directions V
//   3. projection p(x) = Vᵀ(z(x) - mean), whitened: p_k / sqrt(d_k + ε)
// Hence d are the eigenvalues of the centred kernel matrix divided by m, as in Schölkopf, Smola and
// Müller, "Nonlinear Component Analysis as a Kernel Eigenvalue Problem", Neural Computation 10,
// 1998; landmarks as in Williams and Seeger, "Using the Nyström Method to Speed Up Kernel
// Machines", NIPS 2000. Directions without variance are dropped.
#pragma once

#include <string>
#include <vector>

#include "krica/kernels/kernel.hpp"
#include "krica/patches/whitening.hpp"
#include "krica/runtime/archive.hpp"

namespace krica {

struct KernelPcaOptions {
  Kernel kernel = {};
  Index landmarks = 0;  ///< 0: all samples (exact, O(m³) time and O(m²) memory)
  LandmarkChoice choice = LandmarkChoice::kKmeans;
  Index components = 0;  ///< directions to keep; 0: all with variance
  bool whiten = true;
  double epsilon = 0;  ///< ε >= 0, of the whitening

  void validate() const;
};

template <class Scalar>
class KernelPca {
 public:
  /// Throws InvalidArgument for invalid options, fewer than two samples, NaN or Inf, and samples
  /// that are all equal.
  static KernelPca fit(const Context& context, ConstMatrixView<Scalar> samples,
                       const KernelPcaOptions& options);

  [[nodiscard]] Index inputs() const { return landmarks_.cols(); }
  [[nodiscard]] Index outputs() const { return projection_.cols(); }
  /// d of the kept directions, descending.
  [[nodiscard]] const std::vector<double>& eigenvalues() const { return eigenvalues_; }

  /// One tile of rows, single-threaded.
  void apply(ConstMatrixView<Scalar> samples, MatrixView<Scalar> projected) const;
  [[nodiscard]] Matrix<Scalar> apply(const Context& context, ConstMatrixView<Scalar> samples) const;

  void save(Archive& archive) const;
  static KernelPca load(const Archive& archive);

 private:
  KernelPca() = default;

  Kernel kernel_;
  Matrix<Scalar> landmarks_;   // l × n
  Matrix<Scalar> projection_;  // l × outputs: κ(x, L) · projection - offset
  std::vector<Scalar> offset_;
  std::vector<double> eigenvalues_;
};

}  // namespace krica
