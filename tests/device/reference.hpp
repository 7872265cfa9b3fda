// SPDX-License-Identifier: BSD-3-Clause
//
// PooledEncoder and its gradient as written down, in double.
#pragma once

#include "device/problem.hpp"

namespace krica::device {

/// One preprocessed patch.
inline std::vector<double> reference_patch(const Problem& problem, const std::uint8_t* image,
                                           int place) {
  const PatchSpec& patch = problem.patch;
  std::vector<double> x;
  for (int c = 0; c < patch.channels; ++c) {
    for (int y = 0; y < patch.field; ++y) {
      for (int j = 0; j < patch.field; ++j)
        x.push_back(image[c * patch.height * patch.width + place + y * patch.width + j]);
    }
  }
  const auto n = static_cast<double>(x.size());
  if (patch.contrast_epsilon > 0) {
    double mean = 0;
    for (const double value : x) mean += value / n;
    double variance = 0;
    for (double& value : x) {
      value -= mean;
      variance += value * value;
    }
    variance = x.size() > 1 ? variance / (n - 1) : 0;
    for (double& value : x) value /= std::sqrt(variance + patch.contrast_epsilon);
  }
  std::vector<double> y(static_cast<std::size_t>(patch.values()), 0.0);
  if (patch.outputs == 0) {
    y = x;
  } else {
    for (std::size_t o = 0; o < y.size(); ++o) {
      for (std::size_t k = 0; k < x.size(); ++k)
        y[o] += x[k] * static_cast<double>(problem.transform[k * y.size() + o]);
      y[o] -= static_cast<double>(problem.offset[o]);
    }
  }
  if (patch.unit_norm) {
    double squares = 0;
    for (const double value : y) squares += value * value;
    for (double& value : y) value *= squares > 1e-24 ? 1 / std::sqrt(squares) : 0;
  }
  return y;
}

/// dot = w·x and squared = ‖w - x‖².
struct Closeness {
  double dot = 0;
  double squared = 0;
};
inline Closeness closeness(const float* w, const std::vector<double>& x) {
  Closeness c;
  for (std::size_t k = 0; k < x.size(); ++k) {
    c.dot += static_cast<double>(w[k]) * x[k];
    c.squared += (static_cast<double>(w[k]) - x[k]) * (static_cast<double>(w[k]) - x[k]);
  }
  return c;
}

/// The code of one patch: channels.
inline std::vector<double> reference_code(const Problem& problem, const std::vector<double>& x) {
  const AtomSpec& atoms = problem.atoms;
  const auto K = static_cast<std::size_t>(atoms.count);
  std::vector<double> code(static_cast<std::size_t>(atoms.channels()));
  double mean = 0;
  const double b = static_cast<double>(atoms.scale);
  for (std::size_t u = 0; u < K; ++u) {
    const auto [dot, squared] = closeness(problem.W.data() + u * x.size(), x);
    const auto shape = static_cast<double>(problem.shapes[u]);
    mean += std::sqrt(squared) / static_cast<double>(K);
    switch (atoms.kind) {
      case CodeKind::kGaussian:
        code[u] = std::exp(-shape * squared);
        break;
      case CodeKind::kInverseSquareDistance:
        code[u] = 1 / (1 + b * squared);
        break;
      case CodeKind::kInverseDistance:
        code[u] = 1 / (1 + b * std::sqrt(squared + 1e-8));
        break;
      case CodeKind::kTriangle:
        code[u] = std::sqrt(squared);
        break;
      case CodeKind::kLinear:
        code[u] = dot;
        break;
      case CodeKind::kAbs:
        code[u] = std::abs(dot);
        break;
      case CodeKind::kSoftAbs:
        code[u] = std::sqrt(dot * dot + 1e-8);
        break;
      case CodeKind::kPolynomial:
        code[u] = std::pow(1 + dot, atoms.degree);
        break;
      case CodeKind::kSoftThreshold:
        code[u] = std::max(0.0, dot - shape);
        code[K + u] = std::max(0.0, -dot - shape);
        break;
      case CodeKind::kSigmoid:
        code[u] = 1 / (1 + std::exp(-dot - shape));
        break;
    }
  }
  if (atoms.kind == CodeKind::kTriangle) {
    for (double& value : code) value = std::max(0.0, mean - value);
  }
  return code;
}

/// Features of one image.
inline std::vector<double> reference_features(const Problem& problem, const std::uint8_t* image) {
  const auto channels = static_cast<std::size_t>(problem.atoms.channels());
  std::vector<double> features(problem.pool.cells.size() * channels, 0.0);
  std::vector<std::vector<double>> zones;
  for (const auto& zone : problem.pool.zones) {
    std::vector<double> sums(channels, 0.0);
    for (const int place : zone) {
      const auto code = reference_code(problem, reference_patch(problem, image, place));
      for (std::size_t u = 0; u < channels; ++u) sums[u] += code[u];
    }
    zones.push_back(std::move(sums));
  }
  for (std::size_t g = 0; g < problem.pool.cells.size(); ++g) {
    for (const int zone : problem.pool.cells[g]) {
      for (std::size_t u = 0; u < channels; ++u)
        features[g * channels + u] +=
            static_cast<double>(problem.pool.weights[g]) * zones[static_cast<std::size_t>(zone)][u];
    }
  }
  return features;
}

/// ∂L/∂w = along_x x + along_difference (w - x), and ∂L/∂(log γ, t or b).
struct Slopes {
  double along_x = 0;
  double along_difference = 0;
  double shape = 0;
};

/// Of one code, from A = ∂L/∂code (and that of the second channel).
inline Slopes slopes_of(const AtomSpec& atoms, Closeness c, double shape, double A,
                        double A_second) {
  const double b = static_cast<double>(atoms.scale);
  switch (atoms.kind) {
    case CodeKind::kGaussian: {
      const double s = std::exp(-shape * c.squared);
      return {0, -2 * shape * s * A, -A * shape * c.squared * s};
    }
    case CodeKind::kInverseSquareDistance: {
      const double s = 1 / (1 + b * c.squared);
      return {0, -2 * b * s * s * A, 0};
    }
    case CodeKind::kInverseDistance: {
      const double z = std::sqrt(c.squared + 1e-8);
      const double s = 1 / (1 + b * z);
      return {0, -b * s * s / z * A, 0};
    }
    case CodeKind::kLinear:
      return {A, 0, 0};
    case CodeKind::kAbs:
      return {c.dot > 0 ? A : -A, 0, 0};
    case CodeKind::kSoftAbs:
      return {A * c.dot / std::sqrt(c.dot * c.dot + 1e-8), 0, 0};
    case CodeKind::kPolynomial:
      return {A * atoms.degree * std::pow(1 + c.dot, atoms.degree - 1), 0, 0};
    case CodeKind::kSoftThreshold: {
      const double up = c.dot > shape ? A : 0.0;
      const double down = -c.dot > shape ? A_second : 0.0;
      return {up - down, 0, -up - down};
    }
    case CodeKind::kSigmoid: {
      const double s = 1 / (1 + std::exp(-c.dot - shape));
      return {A * s * (1 - s), 0, A * s * (1 - s)};
    }
    default:
      return {};
  }
}

/// ∂L/∂(codes of zone z) from ∂L/∂features of an image.
inline std::vector<double> zone_weights(const PoolSpec& pool, std::size_t z, const float* Q,
                                        std::size_t channels) {
  std::vector<double> A(channels, 0.0);
  for (std::size_t g = 0; g < pool.cells.size(); ++g) {
    const auto& cell = pool.cells[g];
    if (std::find(cell.begin(), cell.end(), static_cast<int>(z)) == cell.end()) continue;
    for (std::size_t u = 0; u < channels; ++u)
      A[u] += static_cast<double>(pool.weights[g]) * static_cast<double>(Q[g * channels + u]);
  }
  return A;
}

/// Adds the gradient of Σ Q ∘ features of one image in W (and in log γ, t or b).
inline void add_reference_gradient(const Problem& problem, const std::uint8_t* image,
                                   const float* Q, std::vector<double>& gradient,
                                   std::vector<double>& gradient_shapes) {
  const AtomSpec& atoms = problem.atoms;
  const auto K = static_cast<std::size_t>(atoms.count);
  for (std::size_t z = 0; z < problem.pool.zones.size(); ++z) {
    const auto A = zone_weights(problem.pool, z, Q, static_cast<std::size_t>(atoms.channels()));
    for (const int place : problem.pool.zones[z]) {
      const auto x = reference_patch(problem, image, place);
      for (std::size_t u = 0; u < K; ++u) {
        const float* w = problem.W.data() + u * x.size();
        const Slopes slopes =
            slopes_of(atoms, closeness(w, x), static_cast<double>(problem.shapes[u]), A[u],
                      A.size() > K ? A[K + u] : 0.0);
        gradient_shapes[u] += slopes.shape;
        for (std::size_t k = 0; k < x.size(); ++k)
          gradient[u * x.size() + k] +=
              slopes.along_x * x[k] + slopes.along_difference * (static_cast<double>(w[k]) - x[k]);
      }
    }
  }
}

}  // namespace krica::device
