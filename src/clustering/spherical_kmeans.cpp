// SPDX-License-Identifier: BSD-3-Clause
#include "clustering/spherical_kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "clustering/best_row.hpp"
#include "clustering/device_pass.hpp"
#include "clustering/lloyd.hpp"
#include "clustering/option_fields.hpp"
#include "clustering/shared_assignment.hpp"
#include "runtime/check.hpp"
#include "runtime/ordered_reduce.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "spherical_kmeans";
constexpr Index kTileRows = 256;
/// Atoms are sums of gain times sample; in double, their squares must fit as well.
template <class Scalar>
constexpr double kLargestSquare =
    std::min(1e150, static_cast<double>(std::numeric_limits<Scalar>::max() / 4));

template <class Scalar>
class Spherical {
 public:
  Spherical(const Context& context, ConstMatrixView<Scalar> X, ConstMatrixView<Scalar> start)
      : context_(context),
        X_(X),
        atoms_(Matrix<Scalar>::copy_of(start)),
        assignment_(static_cast<std::size_t>(X.rows()), 0),
        gains_(static_cast<std::size_t>(X.rows()), 0.0),
        residuals_(static_cast<std::size_t>(X.rows()), 0.0),
        device_(context, X, start.rows(), device::Match::kMagnitude) {
    lloyd::require_short_parts(context, X.rows(), atoms_.rows());
    for (Index u = 0; u < atoms_.rows(); ++u)
      require(set_atom(u, atoms_.row(u)), kName, "atom {} of the start is zero", u);
  }

  SphericalKmeansResult<Scalar> run(const SphericalKmeansOptions& options,
                                    const ClusteringHook<Scalar>& hook) {
    const lloyd::Turns turns = lloyd::take_turns<Scalar>(
        context_, kName, options, atoms_, hook, [this] { return assign(); },
        [this] { update_atoms(); });
    gather_parts(context_, assignment_.data(), tiles());
    device_.gather(assignment_);
    SphericalKmeansResult<Scalar> result;
    result.atoms = std::move(atoms_);
    result.assignment = std::move(assignment_);
    result.cost = turns.cost;
    result.iterations = turns.iterations;
    result.converged = turns.converged;
    return result;
  }

 private:
  /// Scales the row to unit length; false if it is zero. In double, as the sum of many samples may
  /// overflow Scalar. A row that already has length 1 up to rounding keeps its bits, so that a run
  /// resumed from its own atoms continues as if it had not stopped.
  template <class From>
  bool set_atom(Index u, const From* row) {
    const Index n = X_.cols();
    double length = std::sqrt(ordered_dot<From>(row, row, n));
    if (!(length > 0)) return false;
    if (std::abs(length - 1) < 4 * std::numeric_limits<Scalar>::epsilon()) length = 1;
    for (Index j = 0; j < n; ++j)
      atoms_(u, j) = static_cast<Scalar>(static_cast<double>(row[j]) / length);
    return true;
  }

  /// Assigns every sample to the atom with the largest |d·x|; returns the cost.
  double assign() {
    if (device_) return device_.assign(atoms_, assignment_, residuals_);
    const auto best = BestRow<Scalar>::of_magnitudes(atoms_);
    const Partition tiles = this->tiles();
    return ordered_reduce(context_, tiles.count(), work_of(X_.size(), atoms_.rows()), [&](Index t) {
      const Range tile = tiles[t];
      best->find(X_.rows_between(tile.begin, tile.end), assignment_.data() + tile.begin);
      return measure(tile);
    });
  }
  [[nodiscard]] Partition tiles() const { return {X_.rows(), kTileRows}; }

  /// Gains and residuals of the samples; returns the sum of the residuals.
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
    lloyd::fetch_held(context_, assignment_, tiles());
    lloyd::fetch_held(context_, gains_, tiles());
    const lloyd::AssignedSums sums =
        device_ ? device_.sums(assignment_)
                : lloyd::assigned_sums<Scalar>(context_, X_, assignment_, gains_, atoms_.rows());
    std::vector<Index> empty;
    for (Index u = 0; u < atoms_.rows(); ++u) {
      if (!set_atom(u, sums.values.row(u))) empty.push_back(u);
    }
    if (!empty.empty()) reseed(empty);
  }

  /// Moves atoms without samples to the worst-coded samples.
  void reseed(const std::vector<Index>& empty) {
    gather_parts(context_, residuals_.data(), tiles());
    device_.gather(residuals_);
    const std::vector<Index> worst = lloyd::costliest(residuals_, empty.size());
    const Matrix<Scalar> rows = gather_rows<Scalar>(context_, X_, worst);
    for (std::size_t e = 0; e < empty.size(); ++e) {
      const Index u = empty[e];
      if (set_atom(u, rows.row(static_cast<Index>(e % worst.size())))) continue;
      std::fill_n(atoms_.row(u), X_.cols(), Scalar(0));  // all samples are zero
      atoms_(u, u % X_.cols()) = Scalar(1);
    }
  }

  const Context& context_;
  ConstMatrixView<Scalar> X_;
  Matrix<Scalar> atoms_;
  std::vector<Index> assignment_;
  std::vector<double> gains_;      // of the CPU; the device keeps its own
  std::vector<double> residuals_;  // ‖x‖² - g²
  lloyd::DevicePass<Scalar> device_;
};

}  // namespace

void SphericalKmeansOptions::validate() const { require_bounds(*this, kName); }

template <class Scalar>
SphericalKmeansResult<Scalar> spherical_kmeans(const Context& context, ConstMatrixView<Scalar> X,
                                               ConstMatrixView<Scalar> start,
                                               const SphericalKmeansOptions& options,
                                               const ClusteringHook<Scalar>& hook) {
  options.validate();
  require_not_empty(X, kName, "X");
  agree(context, [&] {
    require_finite(X, kName, "X");
    lloyd::require_squares(X, kName, "X", kLargestSquare<Scalar>);
  });
  require(start.rows() == options.n_clusters && start.cols() == X.cols(), kName,
          "the start is {} x {}, it must be {} x {}", start.rows(), start.cols(),
          options.n_clusters, X.cols());
  require_finite(start, kName, "the start");
  lloyd::require_squares(start, kName, "the start", kLargestSquare<Scalar>);
  return Spherical<Scalar>(context, X, start).run(options, hook);
}

template SphericalKmeansResult<float> spherical_kmeans(const Context&, ConstMatrixView<float>,
                                                       ConstMatrixView<float>,
                                                       const SphericalKmeansOptions&,
                                                       const ClusteringHook<float>&);
template SphericalKmeansResult<double> spherical_kmeans(const Context&, ConstMatrixView<double>,
                                                        ConstMatrixView<double>,
                                                        const SphericalKmeansOptions&,
                                                        const ClusteringHook<double>&);

}  // namespace krica
