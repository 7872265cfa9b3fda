// SPDX-License-Identifier: BSD-3-Clause
#include "objectives/contrast.hpp"

#include <cmath>
#include <numbers>

#include "runtime/parallel.hpp"
#include "runtime/vector_math.hpp"

namespace krica {

ContrastTerm::ContrastTerm(const RicaOptions& options)
    : contrast_(options.contrast),
      epsilon_(options.epsilon),
      K_(options.n_components),
      sign_(options.sign),
      // Smooth L1 is L2 pooling with H = I.
      groups_(options.contrast == Contrast::kL2Pooling ? options.groups : AtomGroups::none(),
              options.n_components) {}

template <class Scalar>
double ContrastTerm::add(const Scalar* s, double weight, std::span<Scalar> scratch,
                         Scalar* derivative) const {
  const auto lambda = static_cast<Scalar>(weight);
  switch (contrast_) {
    case Contrast::kSmoothL1:
    case Contrast::kL2Pooling:
      return groups_.add(s, epsilon_, weight, sign_, scratch, derivative);
    case Contrast::kLogCosh:
      return add_log_cosh(s, Scalar(1), lambda, scratch, derivative);
    case Contrast::kMatlabLogCosh:
      return add_log_cosh(s, Scalar(2), lambda, scratch, derivative);
    case Contrast::kExp:
      break;
  }
  return add_exp(s, lambda, scratch, derivative);
}

/// log cosh(β s)/β = |s| + (log1p(t) - log 2)/β with t = exp(-2β|s|), derivative tanh(β s) =
/// ±(1-t)/(1+t).
template <class Scalar>
double ContrastTerm::add_log_cosh(const Scalar* s, Scalar beta, Scalar weight,
                                  std::span<Scalar> scratch, Scalar* derivative) const {
  Scalar* t = scratch.data();
  for (Index u = 0; u < K_; ++u) t[u] = Scalar(-2) * beta * std::abs(s[u]);
  exp_in_place(t, K_);
  if (derivative != nullptr) {
    for (Index u = 0; u < K_; ++u) {
      const Scalar tanh = std::copysign((Scalar(1) - t[u]) / (Scalar(1) + t[u]), s[u]);
      derivative[u] += weight * static_cast<Scalar>(sign(u)) * tanh;
    }
  }
  log1p_in_place(t, K_);
  for (Index u = 0; u < K_; ++u) {
    const Scalar value = std::abs(s[u]) + (t[u] - std::numbers::ln2_v<Scalar>) / beta;
    t[u] = static_cast<Scalar>(sign(u)) * value;
  }
  return ordered_sum(t, K_);
}

/// -exp(-s²/2), derivative s exp(-s²/2).
template <class Scalar>
double ContrastTerm::add_exp(const Scalar* s, Scalar weight, std::span<Scalar> scratch,
                             Scalar* derivative) const {
  Scalar* bell = scratch.data();
  for (Index u = 0; u < K_; ++u) bell[u] = Scalar(-0.5) * s[u] * s[u];
  exp_in_place(bell, K_);
  for (Index u = 0; u < K_; ++u) bell[u] *= static_cast<Scalar>(sign(u));
  if (derivative != nullptr) {
    for (Index u = 0; u < K_; ++u) derivative[u] += weight * s[u] * bell[u];
  }
  return -ordered_sum(bell, K_);
}

template double ContrastTerm::add(const float*, double, std::span<float>, float*) const;
template double ContrastTerm::add(const double*, double, std::span<double>, double*) const;

}  // namespace krica
