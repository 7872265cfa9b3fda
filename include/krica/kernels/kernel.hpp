// SPDX-License-Identifier: BSD-3-Clause
//
// Mercer kernels κ(w, x) between an atom w and a sample x, both in R^n.
//
//   kind                      κ(w, x)                      uses
//   linear                    w·x                          -
//   gaussian                  exp(-gamma ‖w-x‖²)           gamma
//   polynomial                (1 + w·x)^degree             degree
//   inverse-distance          1 / (1 + scale ‖w-x‖)        scale
//   inverse-square-distance   1 / (1 + scale ‖w-x‖²)       scale
//   histogram-intersection    Σ_j exp(scale min(w_j,x_j))  scale
//
// The inverse distance is singular at w = x; its distance is computed as sqrt(‖w-x‖² + 1e-8)
// everywhere, so that κ(x, x) = 1 / (1 + 1e-4 scale). The histogram intersection has a kink at w_j
// = x_j; its derivative there is half the one-sided one, which gives the correct d κ(w, w)/dw =
// scale·exp(scale·w). Kernel forms: Xiao, Zhu, Zhao, "Kernel Reconstruction ICA for Sparse
// Representation", section 6.5.
#pragma once

#include <string_view>

#include "krica/runtime/context.hpp"
#include "krica/runtime/library.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

enum class KernelKind {
  kLinear,
  kGaussian,
  kPolynomial,
  kInverseDistance,
  kInverseSquareDistance,
  kHistogramIntersection,
};

/// "gaussian" and so on, as on the command line. kernel_kind throws InvalidArgument for unknown
/// names.
KRICA_EXPORT std::string_view name_of(KernelKind kind);
KRICA_EXPORT KernelKind kernel_kind(std::string_view name);

/// Parameters that do not apply to the kind are ignored.
struct KRICA_EXPORT Kernel {
  KernelKind kind = KernelKind::kGaussian;
  double gamma = 1.0;  ///< width of the Gaussian, > 0; auto_gamma() estimates it from data
  int degree = 3;      ///< of the polynomial, >= 1
  double scale = 1.0;  ///< b of the inverse distances and the histogram intersection, > 0

  void validate() const;
};

/// κ(w, x) for two vectors of length n.
template <class Scalar>
KRICA_EXPORT double kernel_value(const Kernel& kernel, const Scalar* w, const Scalar* x, Index n);

/// ∂κ(w, x)/∂w, written to derivative (n values).
template <class Scalar>
KRICA_EXPORT void kernel_derivative(const Kernel& kernel, const Scalar* w, const Scalar* x, Index n,
                                    double* derivative);

/// gram(i, u) = κ(atoms_u, samples_i): samples m×n, atoms K×n, gram m×K. Blocked; uses matrix
/// products for all kernels except the histogram intersection.
template <class Scalar>
KRICA_EXPORT void kernel_matrix(const Context& context, const Kernel& kernel,
                                ConstMatrixView<Scalar> samples, ConstMatrixView<Scalar> atoms,
                                MatrixView<Scalar> gram);

/// The same for a set with itself: exactly symmetric, with the exact diagonal.
template <class Scalar>
KRICA_EXPORT void kernel_matrix(const Context& context, const Kernel& kernel,
                                ConstMatrixView<Scalar> atoms, MatrixView<Scalar> gram);

/// 6 / median ‖x - x'‖² over at most 10,000 random pairs of samples, drawn with the seed. The usual
/// 1/median is too wide for random patches as atoms; krica and d-krica take half of this on images
/// (docs/math.md). Throws InvalidArgument if the median is 0.
template <class Scalar>
KRICA_EXPORT double auto_gamma(const Context& context, ConstMatrixView<Scalar> samples);

}  // namespace krica
