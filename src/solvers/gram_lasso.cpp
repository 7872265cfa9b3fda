// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/gram_lasso.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/check.hpp"
#include "runtime/weighted_rows.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "gram_lasso";
constexpr std::size_t kFewestAdded = 8;  // to the working set, if so many violate the conditions
constexpr Index kSweeps = 50;            // over one working set

double soft(double value, double threshold) {
  return std::copysign(std::max(0.0, std::abs(value) - threshold), value);
}

}  // namespace

/// The descent of one code.
template <class Scalar>
class GramLasso<Scalar>::Descent {
 public:
  Descent(const Matrix<Scalar>& G, double threshold, std::span<const Scalar> correlations,
          double self, std::span<Scalar> code)
      : G_(G),
        threshold_(threshold),
        correlations_(correlations),
        self_(self),
        slopes_(correlations.size()) {
    for (std::size_t u = 0; u < code.size(); ++u) {
      if (code[u] == 0) continue;
      working_.push_back(static_cast<std::int32_t>(u));
      values_.push_back(static_cast<double>(code[u]));
    }
    update_slopes();
  }

  /// Adds atoms that violate the conditions of the minimum, the worst ones, at most as many as
  /// there are; false if there are none.
  bool add_violators() {
    violators_.clear();
    for (std::size_t u = 0; u < slopes_.size(); ++u) {
      if (std::abs(static_cast<double>(slopes_[u])) > threshold_ && !is_working(u))
        violators_.push_back(static_cast<std::int32_t>(u));
    }
    const std::size_t most = std::max(kFewestAdded, working_.size());
    if (violators_.size() > most) {
      const auto worse = [&](std::int32_t a, std::int32_t b) {
        const Scalar slope_a = std::abs(slope(a));
        const Scalar slope_b = std::abs(slope(b));
        return slope_a != slope_b ? slope_a > slope_b : a < b;
      };
      std::nth_element(violators_.begin(), violators_.begin() + static_cast<std::ptrdiff_t>(most),
                       violators_.end(), worse);
      violators_.resize(most);
      std::sort(violators_.begin(), violators_.end());
    }
    working_.insert(working_.end(), violators_.begin(), violators_.end());
    values_.resize(working_.size(), 0.0);
    return !violators_.empty();
  }

  /// Sweeps over the working set until no step is larger than `rest`, in units of the residual;
  /// returns the number of sweeps.
  Index descend(double rest, Index most) {
    gather();
    Index sweeps = 0;
    double largest = rest + 1;
    while (largest > rest && sweeps < std::min(most, kSweeps)) {
      largest = sweep();
      ++sweeps;
    }
    drop_zeros();
    update_slopes();
    return sweeps;
  }

  [[nodiscard]] double value() const { return residual_norm() + 2 * threshold_ * l1_norm(); }

  /// p(s) - dual(t r), with dual(θ) = 2 φ·θ - ‖θ‖².
  [[nodiscard]] double gap() const {
    const Index at = largest_magnitude(slopes_.data(), std::ssize(slopes_));
    const double steepest = std::abs(static_cast<double>(slope(static_cast<std::int32_t>(at))));
    const double squares = residual_norm();
    double along = self_;  // φ·r
    for (std::size_t a = 0; a < working_.size(); ++a)
      along -= values_[a] * correlation(working_[a]);
    if (!(squares > 0)) return value();
    const double limit = steepest > 0 ? threshold_ / steepest : along / squares;
    const double t = std::clamp(along / squares, -limit, limit);
    return value() - (2 * t * along - t * t * squares);
  }

  void write(std::span<Scalar> code, std::vector<std::int32_t>* support) const {
    std::fill(code.begin(), code.end(), Scalar(0));
    for (std::size_t a = 0; a < working_.size(); ++a)
      code[static_cast<std::size_t>(working_[a])] = static_cast<Scalar>(values_[a]);
    if (support != nullptr) *support = working_;
  }

 private:
  [[nodiscard]] Scalar slope(std::int32_t u) const { return slopes_[static_cast<std::size_t>(u)]; }
  [[nodiscard]] double correlation(std::int32_t u) const {
    return static_cast<double>(correlations_[static_cast<std::size_t>(u)]);
  }
  [[nodiscard]] bool is_working(std::size_t u) const {
    return std::find(working_.begin(), working_.end(), static_cast<std::int32_t>(u)) !=
           working_.end();
  }

  /// G_AA and the slopes of A.
  void gather() {
    const std::size_t count = working_.size();
    local_gram_.resize(count * count);
    local_slopes_.resize(count);
    for (std::size_t a = 0; a < count; ++a) {
      const Scalar* row = G_.row(working_[a]);
      local_slopes_[a] = static_cast<double>(slope(working_[a]));
      for (std::size_t b = 0; b < count; ++b)
        local_gram_[a * count + b] = static_cast<double>(row[working_[b]]);
    }
  }

  /// Updates every value once; returns the largest step in units of the residual.
  double sweep() {
    const std::size_t count = working_.size();
    double largest = 0;
    for (std::size_t a = 0; a < count; ++a) {
      const double* row = local_gram_.data() + a * count;
      const double next = soft(local_slopes_[a] + row[a] * values_[a], threshold_) / row[a];
      const double step = next - values_[a];
      if (step == 0) continue;
      values_[a] = next;
      for (std::size_t b = 0; b < count; ++b) local_slopes_[b] -= step * row[b];
      largest = std::max(largest, std::abs(step) * std::sqrt(row[a]));
    }
    return largest;
  }

  void drop_zeros() {
    std::size_t kept = 0;
    for (std::size_t a = 0; a < working_.size(); ++a) {
      // As Scalar: a value that vanishes there is not part of the code.
      if (static_cast<Scalar>(values_[a]) == 0) continue;
      working_[kept] = working_[a];
      values_[kept++] = values_[a];
    }
    working_.resize(kept);
    values_.resize(kept);
  }

  /// Φr = c - G_A s_A.
  void update_slopes() {
    weights_.assign(values_.begin(), values_.end());
    subtract_rows<Scalar>(correlations_.data(), G_, working_, weights_.data(), slopes_.data());
  }

  /// ‖φ - Φᵀs‖² = self - s·c - s·(c - Gs).
  [[nodiscard]] double residual_norm() const {
    double norm = self_;
    for (std::size_t a = 0; a < working_.size(); ++a)
      norm -= values_[a] * (correlation(working_[a]) + static_cast<double>(slope(working_[a])));
    return std::max(norm, 0.0);
  }

  [[nodiscard]] double l1_norm() const {
    double norm = 0;
    for (const double value : values_) norm += std::abs(value);
    return norm;
  }

  const Matrix<Scalar>& G_;
  double threshold_;
  std::span<const Scalar> correlations_;
  double self_;
  std::vector<std::int32_t> working_;  // A
  std::vector<double> values_;         // s_A
  std::vector<Scalar> weights_;        // the same as Scalar
  std::vector<Scalar> slopes_;         // Φr of all atoms
  std::vector<std::int32_t> violators_;
  std::vector<double> local_gram_;
  std::vector<double> local_slopes_;
};

void GramLassoOptions::validate() const {
  require(std::isfinite(sparsity) && sparsity > 0, kName, "sparsity must be finite and > 0, got {}",
          sparsity);
  require(std::isfinite(tolerance) && tolerance > 0, kName,
          "tolerance must be finite and > 0, got {}", tolerance);
  require(max_sweeps >= 1, kName, "max_sweeps must be >= 1, got {}", max_sweeps);
}

template <class Scalar>
GramLasso<Scalar>::GramLasso(ConstMatrixView<Scalar> G, const GramLassoOptions& options)
    : G_(Matrix<Scalar>::copy_of(G)), options_(options) {
  options.validate();
  require_not_empty(G, kName, "the Gram matrix");
  require(G.rows() == G.cols(), kName, "the Gram matrix is {} x {}", G.rows(), G.cols());
  require_finite(G, kName, "the Gram matrix");
  for (Index u = 0; u < G.rows(); ++u)
    require(G(u, u) > 0, kName, "atom {} has the squared norm {}", u, G(u, u));
}

template <class Scalar>
GramLassoResult GramLasso<Scalar>::solve(std::span<const Scalar> correlations, double self,
                                         std::span<Scalar> code,
                                         std::vector<std::int32_t>* support) const {
  Descent descent(G_, options_.sparsity / 2, correlations, self, code);
  const double enough = options_.tolerance * self;
  GramLassoResult result;
  result.gap = descent.gap();
  // A step of size d changes p by about d², so smaller steps cannot close the gap.
  double rest = 0.1 * std::sqrt(std::max(enough, 0.0) / static_cast<double>(code.size()));
  while (result.gap > enough && result.sweeps < options_.max_sweeps) {
    // If no atom is missing, those in the working set are not exact enough.
    if (!descent.add_violators()) rest *= 0.1;
    result.sweeps += descent.descend(rest, options_.max_sweeps - result.sweeps);
    result.gap = descent.gap();
  }
  result.value = descent.value();
  descent.write(code, support);
  return result;
}

template class GramLasso<float>;
template class GramLasso<double>;

}  // namespace krica
