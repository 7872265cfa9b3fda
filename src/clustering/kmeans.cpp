// SPDX-License-Identifier: BSD-3-Clause
#include "krica/clustering/kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "clustering/best_row.hpp"
#include "clustering/device_pass.hpp"
#include "clustering/lloyd.hpp"
#include "clustering/option_fields.hpp"
#include "clustering/shared_assignment.hpp"
#include "kernels/distances.hpp"
#include "runtime/check.hpp"
#include "runtime/names.hpp"
#include "runtime/ordered_reduce.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "kmeans";
constexpr NameTable<KmeansStart, 2> kStarts = {
    {{KmeansStart::kPlusPlus, "plus-plus"}, {KmeansStart::kSamples, "samples"}}};
constexpr Index kTileRows = 256;
constexpr Index kSeedingSamplesACluster = 32;

template <class Scalar>
const Scalar* row_of(const ConstMatrixView<Scalar>& X, Index i) {
  return X.data() + i * X.outerStride();
}

template <class Scalar>
class Lloyd {
 public:
  Lloyd(const Context& context, ConstMatrixView<Scalar> X, Matrix<Scalar> centers)
      : context_(context),
        X_(X),
        centers_(std::move(centers)),
        assignment_(static_cast<std::size_t>(X.rows()), 0),
        distances_(static_cast<std::size_t>(X.rows()), 0.0),
        device_(context, X, centers_.rows(), device::Match::kNearest) {
    lloyd::require_short_parts(context, X.rows(), centers_.rows());
  }

  KmeansResult<Scalar> run(const KmeansOptions& options, const ClusteringHook<Scalar>& hook) {
    const lloyd::Turns turns = lloyd::take_turns<Scalar>(
        context_, kName, options, centers_, hook, [this] { return assign(); },
        [this] { update_centers(); });
    gather_parts(context_, assignment_.data(), tiles());
    device_.gather(assignment_);
    KmeansResult<Scalar> result;
    result.centers = std::move(centers_);
    result.assignment = std::move(assignment_);
    result.inertia = turns.cost;
    result.iterations = turns.iterations;
    result.converged = turns.converged;
    return result;
  }

 private:
  /// Assigns every sample to its nearest centre, which has the largest x·c - ‖c‖²/2; returns the
  /// inertia.
  double assign() {
    if (device_) return device_.assign(centers_, assignment_, distances_);
    std::vector<Scalar> offsets(static_cast<std::size_t>(centers_.rows()));
    for (Index k = 0; k < centers_.rows(); ++k) {
      const double norm = ordered_dot(centers_.row(k), centers_.row(k), centers_.cols());
      offsets[static_cast<std::size_t>(k)] = static_cast<Scalar>(-norm / 2);
    }
    const auto nearest = BestRow<Scalar>::of_scores(centers_, offsets);
    const Partition tiles = this->tiles();
    return ordered_reduce(
        context_, tiles.count(), work_of(X_.size(), centers_.rows()), [&](Index t) {
          const Range tile = tiles[t];
          nearest->find(X_.rows_between(tile.begin, tile.end), assignment_.data() + tile.begin);
          return measure(tile);
        });
  }
  [[nodiscard]] Partition tiles() const { return {X_.rows(), kTileRows}; }

  /// Squared distances of the samples to their centres; returns their sum.
  double measure(Range tile) {
    double inertia = 0;
    for (Index i = tile.begin; i < tile.end; ++i) {
      const Scalar* center = centers_.row(assignment_[static_cast<std::size_t>(i)]);
      const double distance = ordered_squared_distance(row_of(X_, i), center, X_.cols());
      distances_[static_cast<std::size_t>(i)] = distance;
      inertia += distance;
    }
    return inertia;
  }

  void update_centers() {
    lloyd::fetch_held(context_, assignment_, tiles());
    const lloyd::AssignedSums sums =
        device_ ? device_.sums(assignment_)
                : lloyd::assigned_sums<Scalar>(context_, X_, assignment_, {}, centers_.rows());
    std::vector<Index> empty;
    for (Index k = 0; k < centers_.rows(); ++k) {
      const Index count = sums.counts[static_cast<std::size_t>(k)];
      if (count == 0) empty.push_back(k);
      for (Index j = 0; count > 0 && j < X_.cols(); ++j)
        centers_(k, j) = static_cast<Scalar>(sums.values(k, j) / static_cast<double>(count));
    }
    if (!empty.empty()) reseed(empty);
  }

  /// Moves centres without samples to the samples that are farthest from their own centres.
  void reseed(const std::vector<Index>& empty) {
    gather_parts(context_, distances_.data(), tiles());
    device_.gather(distances_);
    const std::vector<Index> farthest = lloyd::costliest(distances_, empty.size());
    const Matrix<Scalar> rows = gather_rows<Scalar>(context_, X_, farthest);
    for (std::size_t e = 0; e < empty.size(); ++e)
      std::copy_n(rows.row(static_cast<Index>(e)), X_.cols(), centers_.row(empty[e]));
  }

  const Context& context_;
  ConstMatrixView<Scalar> X_;
  Matrix<Scalar> centers_;
  std::vector<Index> assignment_;
  std::vector<double> distances_;  // squared, to the own centre
  lloyd::DevicePass<Scalar> device_;
};

/// The index at which the cumulative sum of weights exceeds `target`.
Index pick(const std::vector<double>& weights, double target) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += weights[i];
    if (sum > target) return static_cast<Index>(i);
  }
  // Rounding: the last index with a positive weight.
  for (std::size_t i = weights.size(); i-- > 0;) {
    if (weights[i] > 0) return static_cast<Index>(i);
  }
  return 0;
}

/// k-means++: draws each centre with probability proportional to its squared distance from those
/// chosen.
template <class Scalar>
Matrix<Scalar> plus_plus(const Context& context, ConstMatrixView<Scalar> X, Index K) {
  Random random = context.random("kmeans.start");
  const Index pool_size = std::min(X.rows(), std::max(K, kSeedingSamplesACluster * K));
  const Matrix<Scalar> pool =
      gather_rows<Scalar>(context, X, random_subset(random, X.rows(), pool_size));
  const Context alike = context.with_all_rows();  // every rank has the pool
  std::vector<double> nearest(static_cast<std::size_t>(pool_size),
                              std::numeric_limits<double>::infinity());
  std::vector<Index> chosen = {random.below(pool_size)};
  const Partition tiles(pool_size, 1024);
  const Work work = work_of(pool.size(), kPerValue);
  while (static_cast<Index>(chosen.size()) < K) {
    const Scalar* last = pool.row(chosen.back());
    const double total = ordered_reduce(alike, tiles.count(), work, [&](Index t) {
      double sum = 0;
      for (Index i = tiles[t].begin; i < tiles[t].end; ++i) {
        double& distance = nearest[static_cast<std::size_t>(i)];
        distance = std::min(distance, ordered_squared_distance(pool.row(i), last, pool.cols()));
        sum += distance;
      }
      return sum;
    });
    chosen.push_back(total > 0 ? pick(nearest, random.uniform() * total) : random.below(pool_size));
  }
  return rows_at<Scalar>(pool, chosen);
}

template <class Scalar>
void check_data(ConstMatrixView<Scalar> X, const KmeansOptions& options) {
  require_not_empty(X, kName, "X");
  options.validate(X.rows());
  require_finite(X, kName, "X");
  lloyd::require_squares(X, kName, "X");
}

}  // namespace

std::string_view name_of(KmeansStart start) { return find_name(kStarts, start); }

void KmeansOptions::validate(Index n_samples) const {
  require(n_clusters >= 1 && n_clusters <= n_samples, kName,
          "n_clusters must be 1 to the number of samples ({}), got {}", n_samples, n_clusters);
  require_bounds(*this, kName);
}

template <class Scalar>
KmeansResult<Scalar> kmeans(const Context& context, ConstMatrixView<Scalar> X,
                            const KmeansOptions& options, const ClusteringHook<Scalar>& hook) {
  agree(context, [&] { check_data(X, options); });
  if (options.start == KmeansStart::kPlusPlus) {
    return Lloyd<Scalar>(context, X, plus_plus(context, X, options.n_clusters)).run(options, hook);
  }
  Random random = context.random("kmeans.start");
  return Lloyd<Scalar>(
             context, X,
             gather_rows<Scalar>(context, X, random_subset(random, X.rows(), options.n_clusters)))
      .run(options, hook);
}

template <class Scalar>
KmeansResult<Scalar> kmeans_from(const Context& context, ConstMatrixView<Scalar> X,
                                 ConstMatrixView<Scalar> centers, const KmeansOptions& options,
                                 const ClusteringHook<Scalar>& hook) {
  agree(context, [&] { check_data(X, options); });
  require(centers.rows() == options.n_clusters && centers.cols() == X.cols(), kName,
          "the centres are {} x {}, they must be {} x {}", centers.rows(), centers.cols(),
          options.n_clusters, X.cols());
  require_finite(centers, kName, "the centres");
  lloyd::require_squares(centers, kName, "the centres");
  return Lloyd<Scalar>(context, X, Matrix<Scalar>::copy_of(centers)).run(options, hook);
}

#define KRICA_INSTANTIATE(Scalar)                                                            \
  template KmeansResult<Scalar> kmeans(const Context&, ConstMatrixView<Scalar>,              \
                                       const KmeansOptions&, const ClusteringHook<Scalar>&); \
  template KmeansResult<Scalar> kmeans_from(const Context&, ConstMatrixView<Scalar>,         \
                                            ConstMatrixView<Scalar>, const KmeansOptions&,   \
                                            const ClusteringHook<Scalar>&)
KRICA_INSTANTIATE(float);
KRICA_INSTANTIATE(double);
#undef KRICA_INSTANTIATE

}  // namespace krica
