// SPDX-License-Identifier: BSD-3-Clause
#include "bases/start.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bases/class_atoms.hpp"
#include "bases/clustering_run.hpp"
#include "clustering/shared_assignment.hpp"
#include "krica/runtime/words.hpp"
#include "krica/solvers/adam.hpp"
#include "krica/solvers/fixed_point.hpp"
#include "krica/solvers/lbfgs.hpp"
#include "runtime/check.hpp"
#include "runtime/large_matrix.hpp"
#include "runtime/ordered_reduce.hpp"
#include "runtime/parallel.hpp"
#include "runtime/ranks.hpp"
#include "runtime/sharing.hpp"

namespace krica {
namespace {

constexpr Index kManyPatches = 50000;
constexpr Index kLargestBatch = 1024;

using Start = std::function<Matrix<float>()>;

/// Rows of length 1, and orthogonal if there are at most as many as dimensions: on whitened samples
/// such a start reconstructs perfectly, and linear methods are then less likely to end with two
/// atoms between two sources.
Matrix<float> random_atoms(const Context& context, Index K, Index n) {
  Matrix<double> rows(K, n);
  for (Index u = 0; u < K; ++u) {
    Random random = context.random("basis.random", static_cast<std::uint64_t>(u));
    double* row = rows.row(u);
    for (Index j = 0; j < n; ++j) row[j] = random.normal();
    for (Index v = 0; K <= n && v < u; ++v) {
      const double along = ordered_dot(rows.row(v), row, n);
      for (Index j = 0; j < n; ++j) row[j] -= along * rows.row(v)[j];
    }
    const double length = std::sqrt(ordered_dot(row, row, n));
    for (Index j = 0; j < n; ++j) row[j] /= length;
  }
  return Matrix<float>::copy_of(rows.view().cast<float>());
}

bool is_zero(ConstMatrixView<float> rows, Index i) { return (rows.row(i).array() == 0).all(); }

/// ‖x‖² of every row, on every rank.
std::vector<double> squared_lengths(const Context& context, ConstMatrixView<float> patches) {
  std::vector<double> squares(static_cast<std::size_t>(patches.rows()));
  const Partition tiles(patches.rows(), 1024);
  const Range own = own_share(context, tiles.count());
  parallel_for(context, own.size(), work_of(patches.size(), kPerValue), [&](Index place) {
    const Range tile = tiles[own.begin + place];
    for (Index i = tile.begin; i < tile.end; ++i) {
      const float* row = patches.row(i).data();
      squares[static_cast<std::size_t>(i)] = ordered_dot(row, row, patches.cols());
    }
  });
  gather_parts(context, squares.data(), tiles);
  return squares;
}

/// The non-zero rows: zero rows have no direction.
std::vector<Index> usable_rows(const std::vector<double>& squares, Index K) {
  std::vector<Index> usable;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    if (squares[i] > 0) usable.push_back(static_cast<Index>(i));
  }
  require(K <= static_cast<Index>(usable.size()), "basis",
          "{} atoms cannot start from {} samples, of which only {} are not zero; use fewer "
          "components, more patches or init random",
          K, squares.size(), usable.size());
  return usable;
}

/// Images have large plain areas with identical patches: of patches closer to each other than this,
/// relative to their mean squared length, one is enough.
constexpr double kNearDuplicate = 1e-2;
constexpr std::size_t kRowsAtATime = 256;

/// Some rows after another in a given order, copied a few at a time: they may lie in a file, or on
/// another rank.
class RowsInOrder {
 public:
  RowsInOrder(const Context& context, ConstMatrixView<float> matrix, std::vector<Index> order)
      : context_(context), matrix_(std::move(matrix)), order_(std::move(order)) {}

  [[nodiscard]] Index count() const { return std::ssize(order_); }
  [[nodiscard]] Index row(Index place) const { return order_[static_cast<std::size_t>(place)]; }
  /// Valid until the next call; places must ascend.
  const float* values(Index place) {
    if (place >= end_) {
      const auto rest = std::span(order_).subspan(static_cast<std::size_t>(place));
      copies_ = gather_rows<float>(context_, matrix_,
                                   rest.subspan(0, std::min(kRowsAtATime, rest.size())));
      begin_ = place;
      end_ = place + copies_.rows();
    }
    return copies_.row(place - begin_);
  }

 private:
  const Context& context_;
  ConstMatrixView<float> matrix_;
  std::vector<Index> order_;
  Matrix<float> copies_;
  Index begin_ = 0;
  Index end_ = 0;
};

/// Σ ‖x‖² over some rows.
double sum_of(const Context& context, const std::vector<double>& squares,
              const std::vector<Index>& rows) {
  const Partition tiles(std::ssize(rows), 1024);
  return ordered_reduce(context.with_all_rows(), tiles.count(), work_of(rows.size(), kPerValue),
                        [&](Index t) {
                          double sum = 0;
                          for (Index place = tiles[t].begin; place < tiles[t].end; ++place) {
                            const Index row = rows[static_cast<std::size_t>(place)];
                            sum += squares[static_cast<std::size_t>(row)];
                          }
                          return sum;
                        });
}

/// K rows drawn at random, without near-duplicates if there are enough others; ascending.
std::vector<Index> drawn_rows(const Context& context, ConstMatrixView<float> patches, Index K) {
  Random random = context.random("basis.random_patches");
  const std::vector<double> squares = squared_lengths(context, patches);
  const std::vector<Index> usable = usable_rows(squares, K);
  const double nearest =
      kNearDuplicate * sum_of(context, squares, usable) / static_cast<double>(usable.size());
  std::vector<Index> order = random_permutation(random, static_cast<Index>(usable.size()));
  for (Index& place : order) place = usable[static_cast<std::size_t>(place)];
  RowsInOrder rows(context, patches, std::move(order));
  std::vector<Index> drawn;
  std::vector<Index> repeated;
  Matrix<float> copies(K, patches.cols());  // of the drawn rows, which are read again and again
  const auto is_new = [&](const float* row) {
    for (Index u = 0; u < std::ssize(drawn); ++u) {
      if (ordered_squared_distance(row, copies.row(u), patches.cols()) <= nearest) return false;
    }
    return true;
  };
  for (Index place = 0; place < rows.count() && std::ssize(drawn) < K; ++place) {
    const float* row = rows.values(place);
    if (!is_new(row)) {
      repeated.push_back(rows.row(place));
      continue;
    }
    std::copy_n(row, patches.cols(), copies.row(std::ssize(drawn)));
    drawn.push_back(rows.row(place));
  }
  const Index missing = K - static_cast<Index>(drawn.size());
  drawn.insert(drawn.end(), repeated.begin(), repeated.begin() + missing);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

Matrix<float> random_patches(const Context& context, ConstMatrixView<float> patches, Index K) {
  agree(context, [&] { require_finite(patches, "basis", "patches"); });
  return gather_rows<float>(context, patches, drawn_rows(context, patches, K));
}

Matrix<float> given_atoms(const BasisRequest& request) {
  const ConstMatrixView<float>& initial = request.initial;
  const Index K = request.options.components;
  require(initial.size() > 0, "basis", "init is 'given', but no initial atoms were given");
  require(initial.rows() == K && initial.cols() == request.patches.cols(), "basis",
          "the initial atoms are {} x {}; {} atoms of {} values each are needed (after whitening)",
          initial.rows(), initial.cols(), K, request.patches.cols());
  require_finite(initial, "basis", "the initial atoms");
  return Matrix<float>::copy_of(initial);
}

constexpr Index kOmp1Iterations = 50;

/// Unit-norm atoms by spherical K-means, from random directions.
Matrix<float> omp1_atoms(const Context& context, const BasisRequest& request) {
  return spherical_kmeans_of(context, request, kOmp1Iterations, ClusteringRole::kStart,
                             [&] {
                               return random_atoms(context, request.options.components,
                                                   request.patches.cols());
                             })
      .atoms;
}

/// Gives several steps per epoch even with few patches.
Index automatic_batch(Index patches) { return std::clamp<Index>(patches / 10, 1, kLargestBatch); }

AdamOptions adam_options(const BasisRequest& request) {
  const BasisOptions& options = request.options;
  return {.epochs = options.epochs,
          .batch = options.batch.value_or(automatic_batch(request.patches.rows())),
          .rate = options.rate};
}

Basis passed(const Context& context, SampledObjective<float>& objective,
             const BasisRequest& request, const Start& start) {
  AdamStream<float>& stream = *request.stream;
  const Status status = stream.pass(context, objective, adam_options(request), start);
  if (status == Status::kCancelled && !request.best_when_cancelled) throw Cancelled();
  return {stream.W(), stream.history(), status};
}

template <class Solver, class Objective>
SolverResult<float> run(const Context& context, Solver solver, Objective& objective,
                        const BasisRequest& request, const Start& start) {
  if (request.state != nullptr && !is_of_start(*request.state))
    return solver.resume(context, objective, *request.state);
  return solver.minimize(context, objective, start());
}

SolverResult<float> solve(const Context& context, SampledObjective<float>& objective,
                          const BasisRequest& request, const Start& start) {
  const BasisOptions& options = request.options;
  const bool many = request.patches.rows() >= kManyPatches;
  const SolverKind solver = options.solver.value_or(many ? SolverKind::kAdam : SolverKind::kLbfgs);
  if (solver == SolverKind::kLbfgs) {
    return run(context, Lbfgs<float>({.max_iterations = options.iterations}, request.hooks),
               objective, request, start);
  }
  if (solver == SolverKind::kAdam) {
    return run(context, Adam<float>(adam_options(request), request.hooks), objective, request,
               start);
  }
  auto* const curved = dynamic_cast<CurvedObjective<float>*>(&objective);
  require(curved != nullptr, "fixed_point",
          "this objective has no fixed-point form; use another solver");
  return run(context, FixedPoint<float>({.max_iterations = options.iterations}, request.hooks),
             *curved, request, start);
}

}  // namespace

void require_patches_for_atoms(const BasisRequest& request) {
  require(request.options.components <= request.patches.rows(), "basis",
          "{} atoms cannot start from {} samples; use fewer components or more patches",
          request.options.components, request.patches.rows());
}

Matrix<float> starting_atoms(const Context& given, const BasisRequest& request) {
  const BasisOptions& options = request.options;
  require(options.components > 0, "basis", "components must be > 0, got {}", options.components);
  // Ranks that have all patches still share the work.
  const bool divides =
      !starts_by_class(options.init) && lloyd::divides(request.patches.rows(), options.components);
  const Context context = divides ? sharing(given) : given;
  if (options.init == "random")
    return random_atoms(context, options.components, request.patches.cols());
  if (options.init == "given") return given_atoms(request);
  require_patches_for_atoms(request);
  if (options.init == "random-patches")
    return random_patches(context, request.patches, options.components);
  if (options.init == "omp-1") return omp1_atoms(context, request);
  if (options.init == "class-kmeans") return class_kmeans(context, request);
  if (options.init == "label-affinity") return label_affinity(context, request);
  if (options.init == "kmeans") return kmeans_of(context, request, ClusteringRole::kStart).atoms;
  unknown_word("init", options.init,
               {"kmeans", "omp-1", "random-patches", "random", "class-kmeans", "label-affinity"},
               "basis");
}

Matrix<float> starting_directions(const Context& context, const BasisRequest& request) {
  Matrix<float> atoms = starting_atoms(context, request);
  std::vector<Index> blank;
  for (Index u = 0; u < atoms.rows(); ++u) {
    if (is_zero(atoms, u)) blank.push_back(u);
  }
  if (blank.empty()) return atoms;
  const Matrix<float> drawn =
      random_patches(context, request.patches, static_cast<Index>(blank.size()));
  Index next = 0;
  for (const Index u : blank) atoms.view().row(u) = drawn.view().row(next++);
  return atoms;
}

void normalise_rows(Matrix<float>& atoms) {
  // Row by row: Eigen's rowwise() divides zero rows by zero.
  for (Index u = 0; u < atoms.rows(); ++u) atoms.view().row(u).normalize();
}

Basis minimised(const Context& context, SampledObjective<float>& objective,
                const BasisRequest& request) {
  return minimised(context, objective, request, [&] { return starting_atoms(context, request); });
}

Basis minimised(const Context& context, SampledObjective<float>& objective,
                const BasisRequest& request, const Start& start) {
  if (request.stream != nullptr) return passed(context, objective, request, start);
  SolverResult<float> result = solve(context, objective, request, start);
  if (result.status == Status::kCancelled && !request.best_when_cancelled) throw Cancelled();
  return {std::move(result.best), std::move(result.history), result.status};
}

}  // namespace krica
