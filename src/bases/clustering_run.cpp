// SPDX-License-Identifier: BSD-3-Clause
#include "bases/clustering_run.hpp"

#include <fmt/format.h>

#include <utility>

#include "krica/runtime/error.hpp"
#include "solvers/common.hpp"

namespace krica {

ClusteringRun::ClusteringRun(const Context& context, const BasisRequest& request,
                             std::string_view name)
    : context_(context), request_(request), name_(name) {
  if (request.state == nullptr) return;
  check_origin(*request.state, name_, origin());
  atoms_ = request.state->matrix<float>("atoms");
  if (atoms_.rows() != request.options.components || atoms_.cols() != request.patches.cols()) {
    throw DataError(fmt::format("[{}] the state's atoms are {} x {}, they must be {} x {}", name_,
                                atoms_.rows(), atoms_.cols(), request.options.components,
                                request.patches.cols()));
  }
  history_ = history_from(*request.state);
}

Basis ClusteringRun::run(const std::function<Clusters(const ClusteringHook<float>&)>& cluster) {
  const Index before = done();
  try {
    Clusters clusters = cluster([&](const ClusteringTurn<float>& turn) { note(turn, before); });
    return {std::move(clusters.atoms), std::move(history_),
            clusters.converged ? Status::kConverged : Status::kIterationLimit};
  } catch (const Cancelled&) {
    if (atoms_.rows() == 0) throw;
    if (request_.hooks.checkpoint) request_.hooks.checkpoint(saved());
    if (!request_.best_when_cancelled) throw;
    return {std::move(atoms_), std::move(history_), Status::kCancelled};
  }
}

/// A turn that is the last is not kept: resumed, there would be one more.
void ClusteringRun::note(const ClusteringTurn<float>& turn, Index before) {
  const SolverHooks& hooks = request_.hooks;
  const Index iteration = before + turn.iteration;
  history_.push_back({.iteration = iteration, .evaluations = iteration, .value = turn.cost});
  if (hooks.iteration) hooks.iteration(history_.back());
  if (turn.converged) return;
  atoms_ = Matrix<float>::copy_of(turn.rows);
  if (hooks.checkpoint && hooks.checkpoint_every > 0 && iteration % hooks.checkpoint_every == 0)
    hooks.checkpoint(saved());
}

Archive ClusteringRun::saved() const {
  Archive state;
  put_origin(state, name_, origin());
  state.put("atoms", atoms_);
  put_history(state, history_);
  return state;
}

std::string ClusteringRun::origin() const {
  return fmt::format("components={} seed={}", request_.options.components, context_.seed());
}

}  // namespace krica
