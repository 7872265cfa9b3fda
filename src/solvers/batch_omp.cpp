// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/batch_omp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/large_matrix.hpp"
#include "runtime/ordered_reduce.hpp"
#include "runtime/weighted_rows.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "omp";
/// Samples whose products with the atoms are computed at once.
constexpr Index kTileRows = 128;

}  // namespace

void BatchOmpOptions::validate() const {
  require(nonzeros >= 1, kName, "nonzeros must be >= 1, got {}", nonzeros);
  require(std::isfinite(residual) && residual >= 0, kName,
          "the residual must be finite and >= 0, got {}", residual);
}

/// The pursuit of one sample after another, with the memory for it.
template <class Scalar>
class BatchOmp<Scalar>::Pursuit {
 public:
  explicit Pursuit(const BatchOmp& omp)
      : omp_(omp),
        most_(static_cast<std::size_t>(omp.capacity())),
        factor_(most_ * most_),
        along_(most_),
        weights_(most_),
        steps_(omp.capacity(), omp.atoms()),
        slopes_(static_cast<std::size_t>(omp.atoms())) {
    for (std::size_t k = 0; k < most_; ++k) order_.push_back(static_cast<std::int32_t>(k));
  }

  /// From the products Dx and ‖x‖² to a code; returns ‖r‖².
  double run(const Scalar* products, double squares, std::int32_t* chosen, Scalar* values,
             Index& count) {
    double rest = squares;
    std::size_t k = 0;
    const Scalar* slopes = products;
    for (; k < most_ && rest > omp_.options_.residual; ++k) {
      const Index u = largest_magnitude(slopes, omp_.atoms());
      if (!is_worth(slopes[u], squares) || !add_row(u, k)) break;
      chosen[k] = static_cast<std::int32_t>(u);
      along_[k] = static_cast<double>(slopes[u]) / factor_[k * most_ + k];
      rest -= along_[k] * along_[k];
      if (k + 1 == most_ || rest <= omp_.options_.residual) continue;
      step(slopes, u, k);
      // Exactly orthogonal to the residual, but for rounding.
      for (std::size_t t = 0; t <= k; ++t) slopes_[static_cast<std::size_t>(chosen[t])] = 0;
      slopes = slopes_.data();
    }
    solve(k);
    for (std::size_t t = 0; t < k; ++t)
      values[t] = static_cast<Scalar>(along_[t] * length_factor(chosen[t]));
    count = static_cast<Index>(k);
    return std::max(rest, 0.0);
  }

 private:
  [[nodiscard]] double length_factor(std::int32_t u) const {
    return static_cast<double>(omp_.inverse_lengths_[static_cast<std::size_t>(u)]);
  }

  /// Whether an atom with that slope explains more of a sample than rounding does.
  [[nodiscard]] static bool is_worth(Scalar slope, double squares) {
    constexpr double kRounding = 4 * std::numeric_limits<Scalar>::epsilon();
    return std::abs(static_cast<double>(slope)) > kRounding * std::sqrt(squares);
  }

  /// Row k of L: d_u in the basis e, and what is left of it. False if nothing is.
  bool add_row(Index u, std::size_t k) {
    double* row = factor_.data() + k * most_;
    auto pivot = static_cast<double>(omp_.gram_(u, u));
    for (std::size_t t = 0; t < k; ++t) {
      row[t] = static_cast<double>(steps_(static_cast<Index>(t), u));
      pivot -= row[t] * row[t];
    }
    if (!(pivot > 16 * std::numeric_limits<Scalar>::epsilon())) return false;
    row[k] = std::sqrt(pivot);
    return true;
  }

  /// D e_k = (G_u - Σ_t L_kt D e_t) / L_kk, and the slopes without the sample's part along e_k.
  void step(const Scalar* slopes, Index u, std::size_t k) {
    const double* row = factor_.data() + k * most_;
    for (std::size_t t = 0; t < k; ++t) weights_[t] = static_cast<Scalar>(row[t]);
    Scalar* products = steps_.row(static_cast<Index>(k));
    subtract_rows<Scalar>(omp_.gram_.row(u), steps_, {order_.data(), k}, weights_.data(), products);
    const auto scale = static_cast<Scalar>(1 / row[k]);
    for (Index v = 0; v < omp_.atoms(); ++v) products[v] *= scale;
    const auto weight = static_cast<Scalar>(along_[k]);
    subtract_rows<Scalar>(slopes, steps_, {order_.data() + k, 1}, &weight, slopes_.data());
  }

  /// Lᵀ s = y, in place.
  void solve(std::size_t k) {
    for (std::size_t t = k; t-- > 0;) {
      const double* row = factor_.data() + t * most_;
      along_[t] /= row[t];
      for (std::size_t v = 0; v < t; ++v) along_[v] -= row[v] * along_[t];
    }
  }

  const BatchOmp& omp_;
  std::size_t most_;
  std::vector<double> factor_;       // L, row by row
  std::vector<double> along_;        // y_k = e_k·x, then s
  std::vector<Scalar> weights_;      // a row of L
  std::vector<std::int32_t> order_;  // 0, 1, ...
  Matrix<Scalar> steps_;             // D e_k
  std::vector<Scalar> slopes_;       // D r
};

template <class Scalar>
BatchOmp<Scalar>::BatchOmp(const Context& context, ConstMatrixView<Scalar> atoms,
                           const BatchOmpOptions& options)
    : options_(options),
      unit_atoms_(Matrix<Scalar>::copy_of(atoms)),
      inverse_lengths_(static_cast<std::size_t>(atoms.rows()), Scalar(0)),
      gram_(atoms.rows(), atoms.rows()) {
  options.validate();
  require_not_empty(atoms, kName, "the dictionary");
  require_finite(atoms, kName, "the dictionary");
  options_.nonzeros = std::min(options.nonzeros, atoms.rows());
  for (Index u = 0; u < atoms.rows(); ++u) {
    const Scalar* row = unit_atoms_.row(u);
    const double length = std::sqrt(ordered_dot(row, row, atoms.cols()));
    if (!(length > 0)) continue;
    inverse_lengths_[static_cast<std::size_t>(u)] = static_cast<Scalar>(1 / length);
    unit_atoms_.view().row(u) /= static_cast<Scalar>(length);
  }
  blas::gram_of_rows<Scalar>(context, unit_atoms_, gram_);
}

template <class Scalar>
void BatchOmp<Scalar>::encode(ConstMatrixView<Scalar> samples, Index first,
                              SparseCodes<Scalar>& codes, double* residuals) const {
  Matrix<Scalar> products(samples.rows(), atoms());
  blas::gemm<Scalar>(blas::Op::kPlain, blas::Op::kTransposed, Scalar(1), samples, unit_atoms_,
                     Scalar(0), products);
  Pursuit pursuit(*this);
  for (Index i = 0; i < samples.rows(); ++i) {
    const Scalar* x = samples.data() + i * samples.outerStride();
    Index count = 0;
    const double rest =
        pursuit.run(products.row(i), ordered_dot(x, x, samples.cols()),
                    codes.atoms_to_set(first + i), codes.values_to_set(first + i), count);
    codes.set_count(first + i, count);
    if (residuals != nullptr) residuals[i] = rest;
  }
}

template <class Scalar>
double BatchOmp<Scalar>::encode(const Context& context, ConstMatrixView<Scalar> samples,
                                SparseCodes<Scalar>& codes, double* residuals) const {
  require(samples.cols() == inputs(), kName, "samples of {} values for atoms of {}", samples.cols(),
          inputs());
  const Partition tiles(samples.rows(), kTileRows);
  const Work work = work_of(samples.rows(), atoms(), inputs() + capacity() * capacity());
  return ordered_reduce(context, tiles.count(), work, [&](Index t) {
    const Range tile = tiles[t];
    std::vector<double> own(static_cast<std::size_t>(tile.size()));
    encode(samples.rows_between(tile.begin, tile.end), tile.begin, codes, own.data());
    if (residuals != nullptr) std::copy(own.begin(), own.end(), residuals + tile.begin);
    return ordered_sum(own.data(), tile.size());
  });
}

template class BatchOmp<float>;
template class BatchOmp<double>;

}  // namespace krica
