// SPDX-License-Identifier: BSD-3-Clause
#include "bases/clustering_run.hpp"

#include <fmt/format.h>

#include <utility>

#include "clustering/spherical_kmeans.hpp"
#include "krica/clustering/kmeans.hpp"
#include "krica/runtime/error.hpp"
#include "solvers/common.hpp"

namespace krica {
namespace {

const std::string kStartMark = "start";

SolverHooks hooks_for(ClusteringRole role, SolverHooks hooks) {
  if (role == ClusteringRole::kStart) hooks.iteration = {};
  return hooks;
}

}  // namespace

bool is_of_start(const Archive& state) { return state.has_text(kStartMark); }

ClusteringRun::ClusteringRun(const Context& context, const BasisRequest& request,
                             std::string_view name, std::string identity, Index limit,
                             ClusteringRole role)
    : request_(request),
      name_(name),
      identity_(std::move(identity)),
      limit_(limit),
      role_(role),
      hooks_(hooks_for(role, request.hooks)),
      iterations_(context, hooks_, name, limit) {
  if (request.state != nullptr && is_of_start(*request.state) == (role == ClusteringRole::kStart))
    resume(*request.state);
}

void ClusteringRun::resume(const Archive& state) {
  check_origin(state, name_, identity_);
  if (!state.has("atoms")) return;  // cancelled before the first iteration
  atoms_ = state.matrix<float>("atoms");
  if (atoms_.rows() != request_.options.components || atoms_.cols() != request_.patches.cols()) {
    throw DataError(fmt::format("[{}] the state's atoms are {} x {}, they must be {} x {}", name_,
                                atoms_.rows(), atoms_.cols(), request_.options.components,
                                request_.patches.cols()));
  }
  iterations_.resume(history_from(state), 0);
}

Basis ClusteringRun::run(const std::function<Clusters(const ClusteringHook<float>&)>& cluster) {
  const Index before = iterations_.done();
  const auto turns = [&]() -> std::optional<Status> {
    Clusters clusters = cluster([&](const ClusteringTurn<float>& turn) { note(turn, before); });
    atoms_ = std::move(clusters.atoms);
    return clusters.converged ? Status::kConverged : Status::kIterationLimit;
  };
  const Status status = iterations_.run(turns, [this] { return saved(); });
  const bool wanted = request_.best_when_cancelled && role_ == ClusteringRole::kMethod;
  if (status == Status::kCancelled && (!wanted || atoms_.size() == 0)) throw Cancelled();
  return {std::move(atoms_), iterations_.take_history(), status};
}

/// The last iteration is not kept: a resumed run would add another one.
void ClusteringRun::note(const ClusteringTurn<float>& turn, Index before) {
  const Index iteration = before + turn.iteration;
  iterations_.record({.iteration = iteration, .evaluations = iteration, .value = turn.cost});
  if (turn.converged) return;
  atoms_ = Matrix<float>::copy_of(turn.rows);
  iterations_.offer([this] { return saved(); });
}

Archive ClusteringRun::saved() const {
  Archive state;
  put_origin(state, name_, identity_);
  if (role_ == ClusteringRole::kStart) state.put_text(kStartMark, "yes");
  if (atoms_.size() > 0) state.put("atoms", atoms_);
  put_history(state, iterations_.history());
  return state;
}

Basis kmeans_of(const Context& context, const BasisRequest& request, ClusteringRole role,
                std::vector<Index>* assignment) {
  KmeansOptions options{.n_clusters = request.options.components};
  ClusteringRun run(context, request, "kmeans", options, role);
  options.max_iterations = run.left();
  return run.run([&](const ClusteringHook<float>& hook) -> ClusteringRun::Clusters {
    auto result = run.atoms().size() > 0
                      ? kmeans_from<float>(context, request.patches, run.atoms(), options, hook)
                      : kmeans<float>(context, request.patches, options, hook);
    if (assignment != nullptr) *assignment = std::move(result.assignment);
    return {std::move(result.centers), result.converged};
  });
}

Basis kmeans_from_start(const Context& context, const BasisRequest& request,
                        const std::function<Matrix<float>()>& start) {
  KmeansOptions options{.n_clusters = request.options.components};
  ClusteringRun run(context, request, "kmeans", options, ClusteringRole::kMethod);
  options.max_iterations = run.left();
  // Before the run: a cancelled start has its own state.
  const Matrix<float> first = run.atoms().size() > 0 ? run.atoms() : start();
  return run.run([&](const ClusteringHook<float>& hook) -> ClusteringRun::Clusters {
    auto result = kmeans_from<float>(context, request.patches, first, options, hook);
    return {std::move(result.centers), result.converged};
  });
}

Basis spherical_kmeans_of(const Context& context, const BasisRequest& request, Index limit,
                          ClusteringRole role, const std::function<Matrix<float>()>& start) {
  SphericalKmeansOptions options{.n_clusters = request.options.components, .max_iterations = limit};
  ClusteringRun run(context, request, "omp-1", options, role);
  options.max_iterations = run.left();
  // Before the run: a cancelled start has its own state.
  const Matrix<float> first = run.atoms().size() > 0 ? run.atoms() : start();
  return run.run([&](const ClusteringHook<float>& hook) -> ClusteringRun::Clusters {
    auto result = spherical_kmeans<float>(context, request.patches, first, options, hook);
    return {std::move(result.atoms), result.converged};
  });
}

}  // namespace krica
