// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/gram_lasso.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/check.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "gram_lasso";
constexpr Index kActiveSweeps = 20;  // between two sweeps over all coordinates

double soft(double value, double threshold) {
  return std::copysign(std::max(0.0, std::abs(value) - threshold), value);
}

/// The descent of one code.
class Descent {
 public:
  Descent(const Matrix<double>& G, double threshold, std::span<const double> correlations,
          double self, std::span<double> code)
      : G_(G),
        threshold_(threshold),
        correlations_(correlations),
        self_(self),
        code_(code),
        residual_(correlations.begin(), correlations.end()) {
    for (std::size_t u = 0; u < code.size(); ++u) {
      if (code[u] != 0) subtract(u, code[u]);
    }
  }

  /// Updates all coordinates, or the active ones; returns the largest step in units of the
  /// residual.
  double sweep(bool active_only) {
    double largest = 0;
    for (std::size_t u = 0; u < code_.size(); ++u) {
      if (active_only && code_[u] == 0) continue;
      const double diagonal = G_(static_cast<Index>(u), static_cast<Index>(u));
      const double next = soft(residual_[u] + diagonal * code_[u], threshold_) / diagonal;
      const double step = next - code_[u];
      if (step == 0) continue;
      code_[u] = next;
      subtract(u, step);
      largest = std::max(largest, std::abs(step) * std::sqrt(diagonal));
    }
    return largest;
  }

  [[nodiscard]] double value() const { return residual_norm() + 2 * threshold_ * l1_norm(); }

  /// p(s) - dual(t r), with dual(θ) = 2 φ·θ - ‖θ‖².
  [[nodiscard]] double gap() const {
    double steepest = 0;
    for (const double entry : residual_) steepest = std::max(steepest, std::abs(entry));
    const double squares = residual_norm();
    double along = self_;  // φ·r
    for (std::size_t u = 0; u < code_.size(); ++u) along -= code_[u] * correlations_[u];
    if (!(squares > 0)) return value();
    const double limit = steepest > 0 ? threshold_ / steepest : along / squares;
    const double t = std::clamp(along / squares, -limit, limit);
    return value() - (2 * t * along - t * t * squares);
  }

 private:
  void subtract(std::size_t u, double step) {
    const double* row = G_.row(static_cast<Index>(u));
    for (std::size_t v = 0; v < residual_.size(); ++v) residual_[v] -= step * row[v];
  }

  /// ‖φ - Φᵀs‖² = self - s·c - s·(c - Gs).
  [[nodiscard]] double residual_norm() const {
    double norm = self_;
    for (std::size_t u = 0; u < code_.size(); ++u)
      norm -= code_[u] * (correlations_[u] + residual_[u]);
    return std::max(norm, 0.0);
  }

  [[nodiscard]] double l1_norm() const {
    double norm = 0;
    for (const double entry : code_) norm += std::abs(entry);
    return norm;
  }

  const Matrix<double>& G_;
  double threshold_;
  std::span<const double> correlations_;
  double self_;
  std::span<double> code_;
  std::vector<double> residual_;  // c - Gs
};

}  // namespace

void GramLassoOptions::validate() const {
  require(std::isfinite(sparsity) && sparsity > 0, kName, "sparsity must be finite and > 0, got {}",
          sparsity);
  require(std::isfinite(tolerance) && tolerance > 0, kName,
          "tolerance must be finite and > 0, got {}", tolerance);
  require(max_sweeps >= 1, kName, "max_sweeps must be >= 1, got {}", max_sweeps);
}

GramLasso::GramLasso(ConstMatrixView<double> G, const GramLassoOptions& options)
    : G_(Matrix<double>::copy_of(G)), options_(options) {
  options.validate();
  require_not_empty(G, kName, "the Gram matrix");
  require(G.rows() == G.cols(), kName, "the Gram matrix is {} x {}", G.rows(), G.cols());
  require_finite(G, kName, "the Gram matrix");
  for (Index u = 0; u < G.rows(); ++u)
    require(G(u, u) > 0, kName, "atom {} has the squared norm {}", u, G(u, u));
}

GramLassoResult GramLasso::solve(std::span<const double> correlations, double self,
                                 std::span<double> code) const {
  Descent descent(G_, options_.sparsity / 2, correlations, self, code);
  const double enough = options_.tolerance * self;
  GramLassoResult result;
  result.gap = descent.gap();
  // A step of size d changes p by about d², so smaller steps cannot close the gap.
  const double rest = 0.1 * std::sqrt(std::max(enough, 0.0) / static_cast<double>(code.size()));
  while (result.gap > enough && result.sweeps < options_.max_sweeps) {
    descent.sweep(false);
    ++result.sweeps;
    for (Index i = 0; i < kActiveSweeps && descent.sweep(true) > rest; ++i) ++result.sweeps;
    result.gap = descent.gap();
  }
  result.value = descent.value();
  return result;
}

}  // namespace krica
