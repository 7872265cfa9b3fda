// SPDX-License-Identifier: BSD-3-Clause
//
// What the solvers share: why they stopped, what they return, and hooks to monitor and save them. A
// solver can be stopped at any time (Context::cancel) and resumed from result.state, or from the
// last checkpoint; the result is identical to that of an uninterrupted run.
//
//   auto result = Lbfgs<double>({.max_iterations = 100}).minimize(context, objective, start);
//   result.state.save("state.safetensors");
//   ...
//   const Archive state = Archive::load("state.safetensors");
//   result = Lbfgs<double>({.max_iterations = 200}).resume(context, objective, state);
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "krica/runtime/archive.hpp"
#include "krica/runtime/context.hpp"
#include "krica/runtime/library.hpp"
#include "krica/solvers/objective.hpp"

namespace krica {

enum class Status {
  kConverged,         ///< a stopping tolerance was met
  kIterationLimit,    ///< reached the iteration limit; resume to continue
  kLineSearchFailed,  ///< no step decreases f, although it should by more than its rounding error
  kCancelled,         ///< Context::cancel() was called; resume to continue
  kNumericalTrouble,  ///< f or its gradient is not finite at the start or at every step tried
  kDiverged,          ///< the basis left the data (BasisCondition::kDiverged)
  kCollapsed,         ///< the atoms collapsed (BasisCondition::kCollapsed)
};

/// "converged", "iteration-limit", ...
KRICA_EXPORT std::string_view name_of(Status status);
/// What it means and what to change, in one sentence.
KRICA_EXPORT std::string_view explanation_of(Status status);

/// One iteration, or one epoch of Adam. NaN: does not apply to the method.
struct KRICA_EXPORT HistoryRow {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  Index iteration = 0;
  Index evaluations = 0;          ///< of f so far; for Adam, the steps
  double value = 0;               ///< f; for Adam, on the held-out samples if there are any
  double training_value = kNone;  ///< for Adam, the mean of the epoch's minibatch values
  double gradient_norm = kNone;   ///< ‖∂f/∂W‖₂
  double change = kNone;          ///< for ICA, how far the atoms rotated, max_u |1 - |v_u·v_u'||
  double step = kNone;            ///< step length, or learning rate
};

template <class Scalar>
struct SolverResult {
  Status status = Status::kIterationLimit;
  Matrix<Scalar> best;                       ///< the iterate with the lowest value
  double value = 0;                          ///< its f
  double gradient_norm = HistoryRow::kNone;  ///< its ‖∂f/∂W‖₂; NaN for Adam
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
  /// Called with a resumable state when one is due, and when the run is cancelled.
  std::function<void(const Archive&)> checkpoint = {};
  /// Called after every iteration (for Adam: step) to ask whether a state is due; unset: never.
  std::function<bool()> checkpoint_due = {};
};

}  // namespace krica
