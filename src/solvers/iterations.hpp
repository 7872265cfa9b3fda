// SPDX-License-Identifier: BSD-3-Clause
//
// What all iterative methods do around their steps: record the history, report each row, save the
// state when a checkpoint is due, and discard a step interrupted by cancellation.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "krica/runtime/error.hpp"
#include "krica/solvers/solver.hpp"

namespace krica {

class Iterations {
 public:
  /// `limit` is the total for progress reports, and the count at which used_up() becomes true.
  Iterations(const Context& context, const SolverHooks& hooks, std::string_view name, Index limit)
      : context_(context), hooks_(hooks), name_(name), limit_(limit) {}

  /// Calls turn() until it returns a status, and returns settle() of that. A cancelled turn must
  /// leave everything but the evaluation count unchanged. saved() builds the state, for the hooks
  /// only.
  template <class Turn, class Settle, class Saved>
  Status run(Turn turn, Settle settle, Saved saved) {
    while (true) {
      const Index evaluations_before = evaluations_;
      try {
        if (const std::optional<Status> end = turn()) return settle(*end);
      } catch (const Cancelled&) {
        evaluations_ = evaluations_before;
        if (hooks_.checkpoint) hooks_.checkpoint(saved());
        return Status::kCancelled;
      }
      offer(saved);
    }
  }

  template <class Turn, class Saved>
  Status run(Turn turn, Saved saved) {
    return run(
        turn, [](Status status) { return status; }, saved);
  }

  /// Passes the state from saved() to the checkpoint hook if one is due.
  template <class Saved>
  void offer(Saved saved) const {
    if (hooks_.checkpoint && hooks_.checkpoint_due && hooks_.checkpoint_due())
      hooks_.checkpoint(saved());
  }

  void keep(const HistoryRow& row);
  /// Appends the row and reports it as progress.
  void record(const HistoryRow& row);
  /// The next iterate of a full-batch method; its first row, 0, is the start.
  void record(double value, double gradient_norm, double step);

  [[nodiscard]] const std::vector<HistoryRow>& history() const { return history_; }
  [[nodiscard]] std::vector<HistoryRow> take_history() { return std::move(history_); }
  /// The number of the last row; 0 before the first.
  [[nodiscard]] Index done() const { return history_.empty() ? 0 : history_.back().iteration; }
  [[nodiscard]] bool used_up() const { return done() >= limit_; }

  void count_evaluation() { ++evaluations_; }
  [[nodiscard]] Index evaluations() const { return evaluations_; }

  void resume(std::vector<HistoryRow> history, Index evaluations) {
    history_ = std::move(history);
    evaluations_ = evaluations;
  }

  /// The common part of all results, including value and gradient of the last row; ends the run.
  template <class Scalar>
  SolverResult<Scalar> result(Status status, Archive state) {
    SolverResult<Scalar> result;
    result.status = status;
    result.state = std::move(state);
    result.iterations = done();
    result.evaluations = evaluations_;
    if (!history_.empty()) result.value = history_.back().value;
    if (!history_.empty()) result.gradient_norm = history_.back().gradient_norm;
    result.history = take_history();
    return result;
  }

 private:
  const Context& context_;
  const SolverHooks& hooks_;
  std::string_view name_;
  Index limit_;
  Index evaluations_ = 0;
  std::vector<HistoryRow> history_;
};

}  // namespace krica
