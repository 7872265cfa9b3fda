// SPDX-License-Identifier: BSD-3-Clause
#include "krica/clustering/spherical_kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/blas.hpp"
#include "runtime/check.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "spherical_kmeans";
constexpr Index kTileRows = 256;
constexpr Index kSumParts = 16;  // partial sums of the atoms: fixed, so that bits are

template <class Scalar>
class Turns {
 public:
  Turns(const Context& context, ConstMatrixView<Scalar> X, ConstMatrixView<Scalar> start)
      : context_(context),
        X_(X),
        atoms_(Matrix<Scalar>::copy_of(start)),
        assignment_(static_cast<std::size_t>(X.rows()), 0),
        gains_(static_cast<std::size_t>(X.rows()), 0.0),
        residuals_(static_cast<std::size_t>(X.rows()), 0.0) {
    for (Index u = 0; u < atoms_.rows(); ++u)
      require(scale_to_one(atoms_.row(u)), kName, "atom {} of the start is zero", u);
  }

  SphericalKmeansResult<Scalar> run(const SphericalKmeansOptions& options) {
    SphericalKmeansResult<Scalar> result;
    double cost = assign();
    while (!result.converged && result.iterations < options.max_iterations) {
      update_atoms();
      const double next = assign();
      ++result.iterations;
      result.converged = cost - next <= options.tolerance * cost;
      cost = next;
      context_.report({kName, result.iterations, options.max_iterations, cost});
    }
    result.atoms = std::move(atoms_);
    result.assignment = std::move(assignment_);
    result.cost = cost;
    return result;
  }

 private:
  /// False where the row is zero.
  bool scale_to_one(Scalar* row) const {
    const Index n = X_.cols();
    const double length = std::sqrt(ordered_dot<Scalar>(row, row, n));
    if (!(length > 0)) return false;
    for (Index j = 0; j < n; ++j)
      row[j] = static_cast<Scalar>(static_cast<double>(row[j]) / length);
    return true;
  }

  /// Every sample to the atom with the largest |d·x| (the first of equals); returns the cost.
  double assign() {
    const Partition tiles(X_.rows(), kTileRows);
    return parallel_sum(context_, tiles.count(), [&](Index t) { return assign_tile(tiles[t]); });
  }

  double assign_tile(Range tile) {
    Matrix<Scalar> dots(tile.size(), atoms_.rows());
    blas::gemm<Scalar>(blas::Op::kPlain, blas::Op::kTransposed, Scalar(1),
                       X_.rows_between(tile.begin, tile.end), atoms_, Scalar(0), dots);
    double cost = 0;
    for (Index i = 0; i < tile.size(); ++i) {
      Index best = 0;
      for (Index u = 1; u < atoms_.rows(); ++u) {
        if (std::abs(dots(i, u)) > std::abs(dots(i, best))) best = u;
      }
      const Scalar* x = X_.data() + (tile.begin + i) * X_.outerStride();
      const auto place = static_cast<std::size_t>(tile.begin + i);
      const auto gain = static_cast<double>(dots(i, best));
      assignment_[place] = best;
      gains_[place] = gain;
      residuals_[place] = std::max(0.0, ordered_dot(x, x, X_.cols()) - gain * gain);
      cost += residuals_[place];
    }
    return cost;
  }

  void update_atoms() {
    const Index K = atoms_.rows();
    const Partition parts(X_.rows(), (X_.rows() + kSumParts - 1) / kSumParts);
    std::vector<Matrix<double>> sums(static_cast<std::size_t>(parts.count()));
    parallel_for(context_, parts.count(), [&](Index part) {
      Matrix<double>& sum = sums[static_cast<std::size_t>(part)] = Matrix<double>(K, X_.cols());
      for (Index i = parts[part].begin; i < parts[part].end; ++i) {
        const auto place = static_cast<std::size_t>(i);
        double* row = sum.row(assignment_[place]);
        const Scalar* x = X_.data() + i * X_.outerStride();
        for (Index j = 0; j < X_.cols(); ++j) row[j] += gains_[place] * static_cast<double>(x[j]);
      }
    });
    std::vector<Index> empty;
    for (Index u = 0; u < K; ++u) {
      for (Index j = 0; j < X_.cols(); ++j) {
        double sum = 0;
        for (const auto& part : sums) sum += part(u, j);
        atoms_(u, j) = static_cast<Scalar>(sum);
      }
      if (!scale_to_one(atoms_.row(u))) empty.push_back(u);
    }
    reseed(empty);
  }

  /// Atoms without samples go to the samples that are coded worst.
  void reseed(const std::vector<Index>& empty) {
    if (empty.empty()) return;
    std::vector<Index> worst(static_cast<std::size_t>(X_.rows()));
    for (Index i = 0; i < X_.rows(); ++i) worst[static_cast<std::size_t>(i)] = i;
    std::stable_sort(worst.begin(), worst.end(), [this](Index a, Index b) {
      return residuals_[static_cast<std::size_t>(a)] > residuals_[static_cast<std::size_t>(b)];
    });
    for (std::size_t e = 0; e < empty.size(); ++e) {
      const Index i = worst[e % worst.size()];
      const Scalar* x = X_.data() + i * X_.outerStride();
      Scalar* atom = atoms_.row(empty[e]);
      std::copy(x, x + X_.cols(), atom);
      if (!scale_to_one(atom)) atom[empty[e] % X_.cols()] = Scalar(1);  // all samples are zero
    }
  }

  const Context& context_;
  ConstMatrixView<Scalar> X_;
  Matrix<Scalar> atoms_;
  std::vector<Index> assignment_;
  std::vector<double> gains_;
  std::vector<double> residuals_;  // ‖x‖² - g²
};

}  // namespace

void SphericalKmeansOptions::validate() const {
  require(n_clusters >= 1, kName, "n_clusters must be >= 1, got {}", n_clusters);
  require(max_iterations >= 0, kName, "max_iterations must be >= 0, got {}", max_iterations);
  require(std::isfinite(tolerance) && tolerance >= 0, kName,
          "tolerance must be finite and >= 0, got {}", tolerance);
}

template <class Scalar>
SphericalKmeansResult<Scalar> spherical_kmeans(const Context& context, ConstMatrixView<Scalar> X,
                                               ConstMatrixView<Scalar> start,
                                               const SphericalKmeansOptions& options) {
  options.validate();
  require_not_empty(X, kName, "X");
  require_finite(X, kName, "X");
  require(start.rows() == options.n_clusters && start.cols() == X.cols(), kName,
          "the start is {} x {}, it must be {} x {}", start.rows(), start.cols(),
          options.n_clusters, X.cols());
  require_finite(start, kName, "the start");
  return Turns<Scalar>(context, X, start).run(options);
}

template SphericalKmeansResult<float> spherical_kmeans(const Context&, ConstMatrixView<float>,
                                                       ConstMatrixView<float>,
                                                       const SphericalKmeansOptions&);
template SphericalKmeansResult<double> spherical_kmeans(const Context&, ConstMatrixView<double>,
                                                        ConstMatrixView<double>,
                                                        const SphericalKmeansOptions&);

}  // namespace krica
