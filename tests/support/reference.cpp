// SPDX-License-Identifier: BSD-3-Clause
#include "support/reference.hpp"

#include <algorithm>
#include <cmath>

namespace krica::reference {
namespace {

double dot(const double* a, const double* b, Index n) {
  double sum = 0;
  for (Index j = 0; j < n; ++j) sum += a[j] * b[j];
  return sum;
}

double squared_distance(const double* a, const double* b, Index n) {
  double sum = 0;
  for (Index j = 0; j < n; ++j) sum += std::pow(a[j] - b[j], 2);
  return sum;
}

/// rows × atoms kernel values.
Matrix<double> gram(const Kernel& k, const Matrix<double>& rows, const Matrix<double>& atoms) {
  Matrix<double> values(rows.rows(), atoms.rows());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index u = 0; u < atoms.rows(); ++u)
      values(i, u) = kernel(k, atoms.row(u), rows.row(i), rows.cols());
  }
  return values;
}

Vector row_of(const Matrix<double>& matrix, Index i) {
  return {matrix.row(i), matrix.row(i) + matrix.cols()};
}

int classes_in(std::span<const int> labels) {
  return labels.empty() ? 0 : 1 + *std::max_element(labels.begin(), labels.end());
}

int class_of(const Discrimination& options, Index u, Index K, int n_classes) {
  return options.atom_class.empty() ? static_cast<int>(u / (K / n_classes)) : options.atom_class[u];
}

double elastic(const Discrimination& options, Index K, int n_classes) {
  if (options.elastic) return *options.elastic;
  if (!options.homogeneous) return 0;
  if (options.reading == DiscriminationReading::kSelect) return 2;
  Index most = 0;
  for (int c = 0; c < n_classes; ++c) {
    Index atoms = 0;
    for (Index u = 0; u < K; ++u) atoms += class_of(options, u, K, n_classes) == c ? 1 : 0;
    most = std::max(most, atoms);
  }
  return static_cast<double>(most) + 1;
}

/// sqrt(ε + Σ_u H_ju s_u²)
double pooled_root(const Matrix<double>& H, const double* s, Index j, double epsilon) {
  double energy = 0;
  for (Index u = 0; u < H.cols(); ++u) energy += H(j, u) * s[u] * s[u];
  return std::sqrt(epsilon + energy);
}

/// A = ∂f/∂S.
Matrix<double> code_weights(const KricaOptions& options, const Matrix<double>& S,
                            const Matrix<double>& G, std::span<const int> labels) {
  const Index m = S.rows();
  const Index K = S.cols();
  const Matrix<double> H = group_weights(options.groups, K);
  Matrix<double> A(m, K);
  for (Index i = 0; i < m; ++i) {
    Vector roots(K);
    for (Index j = 0; j < K; ++j) roots[j] = pooled_root(H, S.row(i), j, options.epsilon);
    Vector d(K, 0.0);
    if (options.discrimination.weight > 0)
      d = discrimination_derivative(options.discrimination, row_of(S, i), labels[i],
                                    classes_in(labels));
    for (Index u = 0; u < K; ++u) {
      double through_G = 0;
      double through_H = 0;
      for (Index v = 0; v < K; ++v) {
        through_G += S(i, v) * G(v, u);
        through_H += H(v, u) / roots[v];
      }
      A(i, u) = (options.reconstruction * (2 * through_G - 4 * S(i, u)) +
                 options.sparsity * S(i, u) * through_H + options.discrimination.weight * d[u]) /
                static_cast<double>(m);
    }
  }
  return A;
}

/// B = ∂f/∂G.
Matrix<double> atom_weights(const KricaOptions& options, const Matrix<double>& S) {
  Matrix<double> B(S.cols(), S.cols());
  for (Index u = 0; u < S.cols(); ++u) {
    for (Index v = 0; v < S.cols(); ++v) {
      double sum = 0;
      for (Index i = 0; i < S.rows(); ++i) sum += S(i, u) * S(i, v);
      B(u, v) = options.reconstruction * sum / static_cast<double>(S.rows());
    }
  }
  return B;
}

double contrast_of(const RicaOptions& options, const Matrix<double>& H, const double* s, Index j) {
  switch (options.contrast) {
    case Contrast::kSmoothL1:
      return std::sqrt(s[j] * s[j] + options.epsilon);
    case Contrast::kLogCosh:
      return std::log(std::cosh(s[j]));
    case Contrast::kMatlabLogCosh:
      return 0.5 * std::log(std::cosh(2 * s[j]));
    case Contrast::kExp:
      return -std::exp(-s[j] * s[j] / 2);
    case Contrast::kL2Pooling:
      break;
  }
  return pooled_root(H, s, j, options.epsilon);
}

Matrix<double> normalised_rows(RowNorm kind, const Matrix<double>& W) {
  Matrix<double> V = W;
  for (Index p = 0; p < W.rows() && kind != RowNorm::kNone; ++p) {
    const double squares = dot(W.row(p), W.row(p), W.cols());
    const double norm = std::sqrt(squares + (kind == RowNorm::kSoft ? 1e-5 : 0.0));
    for (Index j = 0; j < W.cols(); ++j) V(p, j) = W(p, j) / norm;
  }
  return V;
}

/// ‖Vᵀ s - x‖²
double reconstruction_error(const Matrix<double>& V, const Vector& s, const double* x) {
  double error = 0;
  for (Index j = 0; j < V.cols(); ++j) {
    double back = 0;
    for (Index u = 0; u < V.rows(); ++u) back += V(u, j) * s[u];
    error += std::pow(back - x[j], 2);
  }
  return error;
}

}  // namespace

double kernel(const Kernel& k, const double* w, const double* x, Index n) {
  switch (k.kind) {
    case KernelKind::kLinear:
      return dot(w, x, n);
    case KernelKind::kGaussian:
      return std::exp(-k.gamma * squared_distance(w, x, n));
    case KernelKind::kPolynomial:
      return std::pow(1 + dot(w, x, n), k.degree);
    case KernelKind::kInverseDistance:
      return 1 / (1 + k.scale * std::sqrt(squared_distance(w, x, n) + 1e-8));
    case KernelKind::kInverseSquareDistance:
      return 1 / (1 + k.scale * squared_distance(w, x, n));
    case KernelKind::kHistogramIntersection:
      break;
  }
  double sum = 0;
  for (Index j = 0; j < n; ++j) sum += std::exp(k.scale * std::min(w[j], x[j]));
  return sum;
}

Vector kernel_derivative(const Kernel& k, const double* w, const double* x, Index n) {
  const double value = kernel(k, w, x, n);
  const double distance = std::sqrt(squared_distance(w, x, n) + 1e-8);
  Vector derivative(n);
  for (Index j = 0; j < n; ++j) {
    switch (k.kind) {
      case KernelKind::kLinear:
        derivative[j] = x[j];
        break;
      case KernelKind::kGaussian:
        derivative[j] = -2 * k.gamma * value * (w[j] - x[j]);
        break;
      case KernelKind::kPolynomial:
        derivative[j] = k.degree * std::pow(1 + dot(w, x, n), k.degree - 1) * x[j];
        break;
      case KernelKind::kInverseDistance:
        derivative[j] = -k.scale * value * value * (w[j] - x[j]) / distance;
        break;
      case KernelKind::kInverseSquareDistance:
        derivative[j] = -2 * k.scale * value * value * (w[j] - x[j]);
        break;
      case KernelKind::kHistogramIntersection:
        derivative[j] = k.scale * std::exp(k.scale * w[j]);
        if (w[j] == x[j]) derivative[j] /= 2;
        if (w[j] > x[j]) derivative[j] = 0;
        break;
    }
  }
  return derivative;
}

Matrix<double> group_weights(const AtomGroups& options, Index K) {
  Index rows = options.grid_rows;
  Index cols = options.grid_cols;
  if (rows == 0) {  // the most nearly square grid
    rows = static_cast<Index>(std::sqrt(static_cast<double>(K)) + 0.5);
    while (K % rows != 0) --rows;
    cols = K / rows;
  }
  const auto apart = [](Index a, Index b, Index around) {  // on a ring
    const Index straight = std::abs(a - b);
    return std::min(straight, around - straight);
  };
  Matrix<double> H(K, K);
  for (Index j = 0; j < K; ++j) {
    for (Index u = 0; u < K; ++u) {
      const bool neighbours =
          apart(j / cols, u / cols, rows) <= 1 && apart(j % cols, u % cols, cols) <= 1;
      if (options.kind == AtomGrouping::kNone) H(j, u) = j == u ? 1 : 0;
      if (options.kind == AtomGrouping::kTopographic) H(j, u) = neighbours ? 1 : 0;
      if (options.kind == AtomGrouping::kGroups)
        H(j, u) = j / options.group_size == u / options.group_size ? 1 : 0;
      if (options.kind == AtomGrouping::kCustom) H(j, u) = options.weights[j * K + u];
    }
  }
  return H;
}

double discrimination(const Discrimination& options, const Vector& s, int label, int n_classes) {
  const auto K = static_cast<Index>(s.size());
  double own = 0;
  double other = 0;
  double own_squares = 0;
  double other_squares = 0;
  for (Index u = 0; u < K; ++u) {
    const bool is_own = class_of(options, u, K, n_classes) == label;
    (is_own ? own : other) += s[u];
    (is_own ? own_squares : other_squares) += s[u] * s[u];
  }
  const bool sum = options.reading == DiscriminationReading::kSum;
  const double minus = sum ? other * other : other_squares;
  const double plus = sum ? own * own : own_squares;
  return minus - (options.homogeneous ? plus : 0) +
         elastic(options, K, n_classes) * (own_squares + other_squares);
}

Vector discrimination_derivative(const Discrimination& options, const Vector& s, int label,
                                 int n_classes) {
  const auto K = static_cast<Index>(s.size());
  double own = 0;
  double other = 0;
  for (Index u = 0; u < K; ++u) (class_of(options, u, K, n_classes) == label ? own : other) += s[u];
  Vector derivative(K);
  for (Index u = 0; u < K; ++u) {
    const bool is_own = class_of(options, u, K, n_classes) == label;
    const bool sum = options.reading == DiscriminationReading::kSum;
    double pull = sum ? other : s[u];
    if (is_own) pull = options.homogeneous ? -(sum ? own : s[u]) : 0;
    derivative[u] = 2 * (pull + elastic(options, K, n_classes) * s[u]);
  }
  return derivative;
}

double krica(const KricaOptions& options, const Matrix<double>& X, const Matrix<double>& W,
             std::span<const int> labels) {
  const Index K = W.rows();
  const Matrix<double> S = gram(options.kernel, X, W);
  const Matrix<double> G = gram(options.kernel, W, W);
  const Matrix<double> H = group_weights(options.groups, K);
  double total = 0;
  for (Index i = 0; i < X.rows(); ++i) {
    double reconstruction = kernel(options.kernel, X.row(i), X.row(i), X.cols());
    double sparsity = 0;
    for (Index u = 0; u < K; ++u) {
      for (Index v = 0; v < K; ++v) reconstruction += S(i, u) * G(u, v) * S(i, v);
      reconstruction -= 2 * S(i, u) * S(i, u);
      sparsity += pooled_root(H, S.row(i), u, options.epsilon);
    }
    total += options.reconstruction * reconstruction + options.sparsity * sparsity;
    if (options.discrimination.weight > 0)
      total += options.discrimination.weight *
               discrimination(options.discrimination, row_of(S, i), labels[i], classes_in(labels));
  }
  return total / static_cast<double>(X.rows());
}

Matrix<double> krica_gradient(const KricaOptions& options, const Matrix<double>& X,
                              const Matrix<double>& W, std::span<const int> labels) {
  const Matrix<double> S = gram(options.kernel, X, W);
  const Matrix<double> A = code_weights(options, S, gram(options.kernel, W, W), labels);
  const Matrix<double> B = atom_weights(options, S);
  Matrix<double> gradient(W.rows(), W.cols());
  for (Index p = 0; p < W.rows(); ++p) {
    Vector sum(W.cols(), 0.0);
    const auto add = [&](double weight, const double* other) {
      const Vector derivative = kernel_derivative(options.kernel, W.row(p), other, W.cols());
      for (Index j = 0; j < W.cols(); ++j) sum[j] += weight * derivative[j];
    };
    for (Index i = 0; i < X.rows(); ++i) add(A(i, p), X.row(i));
    for (Index v = 0; v < W.rows(); ++v) add(2 * B(p, v), W.row(v));
    std::copy(sum.begin(), sum.end(), gradient.row(p));
  }
  return gradient;
}

FixedPoint gaussian_fixed_point(const KricaOptions& options, const Matrix<double>& X,
                                const Matrix<double>& W, std::span<const int> labels) {
  const Index K = W.rows();
  const Matrix<double> S = gram(options.kernel, X, W);
  const Matrix<double> G = gram(options.kernel, W, W);
  const Matrix<double> A = code_weights(options, S, G, labels);
  const Matrix<double> B = atom_weights(options, S);
  FixedPoint result{Vector(K), Matrix<double>(K, W.cols())};
  for (Index p = 0; p < K; ++p) {
    double total = 0;
    Vector sum(W.cols(), 0.0);
    const auto pull = [&](double weight, const double* towards) {
      total += weight;
      for (Index j = 0; j < W.cols(); ++j) sum[j] += weight * towards[j];
    };
    for (Index i = 0; i < X.rows(); ++i) pull(A(i, p) * S(i, p), X.row(i));
    for (Index v = 0; v < K; ++v) {
      if (v != p) pull(2 * B(p, v) * G(p, v), W.row(v));
    }
    for (Index j = 0; j < W.cols(); ++j) result.target(p, j) = sum[j] / total;
    result.curvature[p] = -2 * options.kernel.gamma * total;
  }
  return result;
}

double rica(const RicaOptions& options, const Matrix<double>& X, const Matrix<double>& W,
            std::span<const int> labels) {
  const Index K = W.rows();
  const Matrix<double> V = normalised_rows(options.row_norm, W);
  const Matrix<double> H = group_weights(options.groups, K);
  const bool on_sparsity = options.weight_on == WeightOn::kSparsity;
  double total = 0;
  for (Index i = 0; i < X.rows(); ++i) {
    Vector s(K);
    for (Index u = 0; u < K; ++u) s[u] = dot(V.row(u), X.row(i), X.cols());
    double sparsity = 0;
    for (Index j = 0; j < K; ++j) {
      const double sign = options.sign.empty() ? 1.0 : options.sign[j];
      sparsity += sign * contrast_of(options, H, s.data(), j);
    }
    const double reconstruction = reconstruction_error(V, s, X.row(i));
    total += on_sparsity ? reconstruction + options.weight * sparsity
                         : options.weight * reconstruction + sparsity;
    if (options.discrimination.weight > 0)
      total += options.discrimination.weight *
               discrimination(options.discrimination, s, labels[i], classes_in(labels));
  }
  return options.reduce == Reduce::kMean ? total / static_cast<double>(X.rows()) : total;
}

}  // namespace krica::reference
