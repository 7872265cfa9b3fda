// SPDX-License-Identifier: BSD-3-Clause
//
// The objectives once more, as plain loops over samples i, atoms u and v, pooled units j and
// coordinates, straight from the formulas (docs/math.md) and without anything of src/. Slow, in
// float64, and meant to be checked by reading.
#pragma once

#include <span>
#include <vector>

#include "krica/objectives/krica.hpp"
#include "krica/objectives/rica.hpp"

namespace krica::reference {

using Vector = std::vector<double>;

/// κ(w, x) and ∂κ(w, x)/∂w.
double kernel(const Kernel& kernel, const double* w, const double* x, Index n);
Vector kernel_derivative(const Kernel& kernel, const double* w, const double* x, Index n);

/// H, dense K×K.
Matrix<double> group_weights(const AtomGroups& groups, Index K);

/// d(s) of one code, without its weight, and ∂d/∂s.
double discrimination(const Discrimination& options, const Vector& s, int label, int n_classes);
Vector discrimination_derivative(const Discrimination& options, const Vector& s, int label,
                                 int n_classes);

double krica(const KricaOptions& options, const Matrix<double>& X, const Matrix<double>& W,
             std::span<const int> labels);

/// Through A = ∂f/∂S and B = ∂f/∂G.
Matrix<double> krica_gradient(const KricaOptions& options, const Matrix<double>& X,
                              const Matrix<double>& W, std::span<const int> labels);

/// The Gaussian's fixed point: ∂f/∂w_p = 0 solved for w_p with the kernel values and all other
/// atoms held. The term of G's diagonal vanishes, as w_p - w_p does.
struct FixedPoint {
  Vector curvature;       // D_p
  Matrix<double> target;  // w*_p
};
FixedPoint gaussian_fixed_point(const KricaOptions& options, const Matrix<double>& X,
                                const Matrix<double>& W, std::span<const int> labels);

double rica(const RicaOptions& options, const Matrix<double>& X, const Matrix<double>& W,
            std::span<const int> labels);

}  // namespace krica::reference
