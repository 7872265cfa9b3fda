// SPDX-License-Identifier: BSD-3-Clause
//
// Problems that scipy_reference.py makes by the same arithmetic, number for number.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "krica/runtime/matrix.hpp"

namespace krica::portable {

/// Steele, Lea and Flood, OOPSLA 2014.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }
  /// In (0, 1).
  double uniform() { return (static_cast<double>(next() >> 11U) + 0.5) * 0x1.0p-53; }
  /// In (-1, 1).
  double symmetric() { return 2 * uniform() - 1; }
  /// By the inverse of the distribution function.
  double laplacian() {
    const double u = symmetric();
    return std::copysign(-std::log(1 - std::abs(u)), u);
  }

 private:
  std::uint64_t state_;
};

using Columns = std::vector<std::vector<double>>;

inline double dot(const std::vector<double>& a, const std::vector<double>& b, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

/// Mean 0 and covariance I, by the inverse of the covariance's Cholesky factor.
inline void whiten(Columns& columns) {
  const std::size_t n = columns.size();
  const std::size_t m = columns[0].size();
  const std::vector<double> ones(m, 1.0);
  for (auto& column : columns) {
    const double mean = dot(column, ones, m) / static_cast<double>(m);
    for (double& x : column) x -= mean;
  }
  Columns L(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double rest =
          dot(columns[i], columns[j], m) / static_cast<double>(m) - dot(L[i], L[j], j);
      L[i][j] = i == j ? std::sqrt(rest) : rest / L[j][j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      for (std::size_t s = 0; s < m; ++s) columns[i][s] -= L[i][k] * columns[k][s];
    }
    for (double& x : columns[i]) x /= L[i][i];
  }
}

/// m samples of n mixtures of Laplacian sources, whitened.
inline Matrix<double> whitened_mixtures(Index n, Index sources, Index m, std::uint64_t seed) {
  SplitMix random(seed);
  const auto width = static_cast<std::size_t>(sources);
  Columns mixing(static_cast<std::size_t>(n), std::vector<double>(width));
  for (auto& row : mixing) {
    for (double& a : row) a = random.symmetric();
  }
  Columns columns(mixing.size(), std::vector<double>(static_cast<std::size_t>(m)));
  std::vector<double> s(width);
  for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) {
    for (double& source : s) source = random.laplacian();
    for (std::size_t j = 0; j < columns.size(); ++j) columns[j][i] = dot(mixing[j], s, width);
  }
  whiten(columns);
  Matrix<double> X(m, n);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j)
      X(i, j) = columns[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)];
  }
  return X;
}

/// Entries in (-1, 1).
inline Matrix<double> random_start(Index rows, Index cols, std::uint64_t seed) {
  SplitMix random(seed);
  Matrix<double> start(rows, cols);
  for (Index e = 0; e < start.size(); ++e) start.data()[e] = random.symmetric();
  return start;
}

/// Of entries weighted by their place, so that an exchange shows.
inline double check_sum(const Matrix<double>& X) {
  double sum = 0;
  for (Index e = 0; e < X.size(); ++e) sum += X.data()[e] * static_cast<double>(1 + e % 7);
  return sum;
}

}  // namespace krica::portable
