// SPDX-License-Identifier: BSD-3-Clause
#include "krica/clustering/spherical_kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "clustering/best_row.hpp"
#include "clustering/lloyd.hpp"
#include "runtime/check.hpp"
#include "runtime/parallel.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "spherical_kmeans";
constexpr Index kTileRows = 256;

template <class Scalar>
class Spherical {
 public:
  Spherical(const Context& context, ConstMatrixView<Scalar> X, ConstMatrixView<Scalar> start)
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
    const lloyd::Turns turns = lloyd::take_turns(
        context_, kName, options, [this] { return assign(); }, [this] { update_atoms(); });
    SphericalKmeansResult<Scalar> result;
    result.atoms = std::move(atoms_);
    result.assignment = std::move(assignment_);
    result.cost = turns.cost;
    result.iterations = turns.iterations;
    result.converged = turns.converged;
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

  /// Every sample to the atom with the largest |d·x|; returns the cost.
  double assign() {
    const auto best = BestRow<Scalar>::of_magnitudes(atoms_);
    const Partition tiles(X_.rows(), kTileRows);
    return parallel_sum(context_, tiles.count(), [&](Index t) {
      const Range tile = tiles[t];
      best->find(X_.rows_between(tile.begin, tile.end), assignment_.data() + tile.begin);
      return measure(tile);
    });
  }

  /// The samples' gains and residuals; returns the sum of these.
  double measure(Range tile) {
    double cost = 0;
    for (Index i = tile.begin; i < tile.end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Scalar* x = X_.data() + i * X_.outerStride();
      const Scalar* atom = atoms_.row(assignment_[at]);
      gains_[at] = ordered_dot(x, atom, X_.cols());
      residuals_[at] = std::max(0.0, ordered_dot(x, x, X_.cols()) - gains_[at] * gains_[at]);
      cost += residuals_[at];
    }
    return cost;
  }

  void update_atoms() {
    const Matrix<double> sums =
        lloyd::assigned_sums<Scalar>(context_, X_, assignment_, gains_, atoms_.rows());
    std::vector<Index> empty;
    for (Index u = 0; u < atoms_.rows(); ++u) {
      for (Index j = 0; j < X_.cols(); ++j) atoms_(u, j) = static_cast<Scalar>(sums(u, j));
      if (!scale_to_one(atoms_.row(u))) empty.push_back(u);
    }
    if (!empty.empty()) reseed(empty);
  }

  /// Atoms without samples go to the samples that are coded worst.
  void reseed(const std::vector<Index>& empty) {
    const std::vector<Index> worst = lloyd::costliest(residuals_, empty.size());
    for (std::size_t e = 0; e < empty.size(); ++e) {
      const Scalar* x = X_.data() + worst[e % worst.size()] * X_.outerStride();
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
  return Spherical<Scalar>(context, X, start).run(options);
}

template SphericalKmeansResult<float> spherical_kmeans(const Context&, ConstMatrixView<float>,
                                                       ConstMatrixView<float>,
                                                       const SphericalKmeansOptions&);
template SphericalKmeansResult<double> spherical_kmeans(const Context&, ConstMatrixView<double>,
                                                        ConstMatrixView<double>,
                                                        const SphericalKmeansOptions&);

}  // namespace krica
