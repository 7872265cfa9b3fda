// SPDX-License-Identifier: BSD-3-Clause
//
// What the solvers have in common: why they stopped, what they return, and hooks to watch and to
// save them. A solver can be stopped at any time (Context::cancel) and resumed from result.state,
// or from the last checkpoint, with the very same result as an uninterrupted run.
//
//   auto result = Lbfgs<double>({.max_iterations = 100}).minimize(context, objective, start);
//   result.state.save("state.safetensors");
//   ...
//   result = Lbfgs<double>({.max_iterations = 200}).resume(context, objective,
//   Archive::load("state.safetensors"));
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "krica/runtime/archive.hpp"
#include "krica/runtime/context.hpp"
#include "krica/solvers/objective.hpp"

namespace krica {

enum class Status {
  kConverged,         ///< a stopping tolerance was met
  kIterationLimit,    ///< the iterations are used up; resume to go on
  kLineSearchFailed,  ///< no step lowers f, although it should fall by more than its rounding error
  kCancelled,         ///< Context::cancel() was called; resume to go on
  kNumericalTrouble,  ///< f or its gradient is not finite at the start or at every step tried
  kDiverged,          ///< the basis left the data (BasisCondition::kDiverged)
  kCollapsed,         ///< the atoms fell together (BasisCondition::kCollapsed)
};

/// "converged", "iteration-limit", ...
std::string_view name_of(Status status);
/// What it means and what to change, as one sentence.
std::string_view explanation_of(Status status);

/// One iteration (L-BFGS, fixed point) or epoch (Adam).
struct HistoryRow {
  Index iteration = 0;
  Index evaluations = 0;  ///< of f (for Adam: steps) so far
  double value = 0;       ///< f, or the held-out f for Adam
  double gradient_norm = 0;  ///< ‖∂f/∂W‖₂; for Adam the mean minibatch value of the epoch's steps
  double step = 0;           ///< step length, or learning rate
};

template <class Scalar>
struct SolverResult {
  Status status = Status::kIterationLimit;
  Matrix<Scalar> best;       ///< the iterate with the lowest value
  double value = 0;          ///< its f
  double gradient_norm = 0;  ///< its ‖∂f/∂W‖₂ (Adam: 0)
  Index iterations = 0;
  Index evaluations = 0;
  std::vector<HistoryRow> history;
  Archive state;  ///< for resume()

  /// Converged, or stopped at the iteration limit with a sound basis.
  [[nodiscard]] bool succeeded() const {
    return status == Status::kConverged || status == Status::kIterationLimit;
  }
};

struct SolverHooks {
  /// Called after every iteration or epoch.
  std::function<void(const HistoryRow&)> iteration = {};
  /// Called with a resumable state after every `checkpoint_every` iterations (steps, for Adam); 0:
  /// never.
  std::function<void(const Archive&)> checkpoint = {};
  Index checkpoint_every = 0;
};

}  // namespace krica
