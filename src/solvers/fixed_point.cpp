// SPDX-License-Identifier: BSD-3-Clause
#include "krica/solvers/fixed_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "runtime/check.hpp"
#include "runtime/parallel.hpp"
#include "solvers/common.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "fixed_point";

/// Rows whose curvature is below this part of the largest step as if it were this large: w* lies
/// far away there, and f knows nothing of so far.
constexpr double kLeastCurvature = 1e-6;

std::string described(const FixedPointOptions& options) {
  return fmt::format(
      "gradient_tolerance={} value_tolerance={} sufficient_decrease={} max_halvings={}",
      options.gradient_tolerance, options.value_tolerance, options.sufficient_decrease,
      options.max_halvings);
}

/// W with what the objective says of it.
template <class Scalar>
struct Iterate {
  Matrix<Scalar> W;
  Matrix<Scalar> gradient;
  std::vector<double> curvature;
  double value = 0;

  explicit Iterate(Matrix<Scalar> at)
      : W(std::move(at)),
        gradient(W.rows(), W.cols()),
        curvature(static_cast<std::size_t>(W.rows())) {}
};

template <class Scalar>
class Run {
 public:
  Run(const FixedPointOptions& options, const SolverHooks& hooks, const Context& context,
      Objective<Scalar>& objective, Matrix<Scalar> W)
      : options_(options),
        hooks_(hooks),
        context_(context),
        objective_(objective),
        current_(std::move(W)) {}

  SolverResult<Scalar> start() {
    const Index evaluations_before = evaluations_;
    try {
      evaluate(current_);
    } catch (const Cancelled&) {
      return finish(Status::kCancelled);
    }
    if (!is_finite(current_)) return finish(Status::kNumericalTrouble);
    if (history_.empty()) {
      record(0);
    } else {
      evaluations_ = evaluations_before;  // resumed: this one was counted before
    }
    return iterate();
  }

  /// The gradient is computed anew, from the same W to the same bits; it is not counted again.
  SolverResult<Scalar> resume(const Archive& state) {
    const auto counts = state.vector<std::int64_t>("counts", 3);
    step_ = state.scalar<double>("step");
    if (counts[0] < 0 || counts[1] < 0 || !(step_ > 0 && step_ <= 1))
      throw DataError("[fixed_point] the state's counters are wrong");
    history_ = history_from(state);
    iteration_ = counts[0];
    evaluations_ = counts[1];
    settled_ = counts[2] != 0;
    return start();
  }

 private:
  SolverResult<Scalar> iterate() {
    while (true) {
      const double small = options_.gradient_tolerance * std::max(1.0, norm_of(current_.W));
      if (settled_ || norm_of(current_.gradient) <= small) return finish(Status::kConverged);
      if (iteration_ >= options_.max_iterations) return finish(Status::kIterationLimit);
      const Index evaluations_before = evaluations_;
      std::optional<Iterate<Scalar>> next;
      double step = std::min(1.0, 2 * step_);
      try {
        next = lower_iterate(step);
      } catch (const Cancelled&) {
        evaluations_ = evaluations_before;  // the unfinished iteration is dropped
        return finish(Status::kCancelled);
      }
      if (!next) return finish(met_finite_ ? Status::kLineSearchFailed : Status::kNumericalTrouble);
      take(std::move(*next), step);
      if (hooks_.checkpoint && hooks_.checkpoint_every > 0 &&
          iteration_ % hooks_.checkpoint_every == 0) {
        hooks_.checkpoint(saved());
      }
    }
  }

  /// -∂f/∂w_p / |D_p|: the step to w*_p, or away from it where that climbs.
  [[nodiscard]] Matrix<Scalar> direction() const {
    double largest = 0;
    for (const double D : current_.curvature) largest = std::max(largest, std::abs(D));
    const double least = std::max(kLeastCurvature * largest, std::numeric_limits<double>::min());
    Matrix<Scalar> d(current_.W.rows(), current_.W.cols());
    for (Index p = 0; p < d.rows(); ++p) {
      const double scale =
          -1.0 / std::max(std::abs(current_.curvature[static_cast<std::size_t>(p)]), least);
      for (Index j = 0; j < d.cols(); ++j) {
        d(p, j) = static_cast<Scalar>(scale * static_cast<double>(current_.gradient(p, j)));
      }
    }
    return d;
  }

  /// A whole or halved step along direction() that lowers f enough; none where none does. `step` is
  /// the first to try, and on return the one taken.
  std::optional<Iterate<Scalar>> lower_iterate(double& step) {
    met_finite_ = false;
    const Matrix<Scalar> d = direction();
    const double slope = ordered_dot(current_.gradient.data(), d.data(), d.size());
    Iterate<Scalar> trial(Matrix<Scalar>(d.rows(), d.cols()));
    for (Index halvings = 0; halvings < options_.max_halvings; ++halvings, step /= 2) {
      step_along(current_.W, step, d, trial.W);
      if (!all_finite(trial.W)) continue;
      evaluate(trial);
      if (!is_finite(trial)) continue;
      met_finite_ = true;
      const double enough = current_.value + options_.sufficient_decrease * step * slope;
      if (trial.value <= enough && trial.value < current_.value) return trial;
    }
    return std::nullopt;
  }

  void take(Iterate<Scalar> next, double step) {
    settled_ = fell_too_little(current_.value, next.value, options_.value_tolerance);
    current_ = std::move(next);
    step_ = step;
    ++iteration_;
    record(step);
  }

  void evaluate(Iterate<Scalar>& at) {
    context_.check_cancelled();  // for objectives that do not ask
    at.value = objective_.value_gradient_and_curvature(at.W, at.gradient, at.curvature);
    ++evaluations_;
  }

  static bool is_finite(const Iterate<Scalar>& at) {
    return std::isfinite(at.value) && std::isfinite(norm_of(at.gradient));
  }

  void record(double step) {
    history_.push_back(
        {iteration_, evaluations_, current_.value, norm_of(current_.gradient), step});
    if (hooks_.iteration) hooks_.iteration(history_.back());
    context_.report({kName, iteration_, options_.max_iterations, current_.value});
  }

  SolverResult<Scalar> finish(Status status) {
    SolverResult<Scalar> result;
    result.status = examined(objective_, current_.W, status);
    result.state = saved();
    result.best = std::move(current_.W);
    // A resumed run that is cancelled at once knows no more than its history.
    result.value = history_.empty() ? current_.value : history_.back().value;
    result.gradient_norm =
        history_.empty() ? norm_of(current_.gradient) : history_.back().gradient_norm;
    result.iterations = iteration_;
    result.evaluations = evaluations_;
    result.history = std::move(history_);
    return result;
  }

  [[nodiscard]] Archive saved() const {
    Archive state;
    put_origin(state, kName, described(options_));
    state.put("W", current_.W);
    const std::vector<std::int64_t> counts = {iteration_, evaluations_, settled_ ? 1 : 0};
    state.put_vector<std::int64_t>("counts", counts);
    state.put_scalar("step", step_);
    put_history(state, history_);
    return state;
  }

  const FixedPointOptions& options_;
  const SolverHooks& hooks_;
  const Context& context_;
  Objective<Scalar>& objective_;
  Iterate<Scalar> current_;
  double step_ = 1;
  std::vector<HistoryRow> history_;
  Index iteration_ = 0;
  Index evaluations_ = 0;
  bool settled_ = false;     // f hardly falls any more
  bool met_finite_ = false;  // at a step of the running iteration
};

}  // namespace

void FixedPointOptions::validate() const {
  require(max_iterations >= 0, kName, "max_iterations must be >= 0, got {}", max_iterations);
  require(gradient_tolerance >= 0, kName, "gradient_tolerance must be >= 0, got {}",
          gradient_tolerance);
  require(value_tolerance >= 0, kName, "value_tolerance must be >= 0, got {}", value_tolerance);
  require(sufficient_decrease > 0 && sufficient_decrease < 1, kName,
          "sufficient_decrease must be in (0, 1), got {}", sufficient_decrease);
  require(max_halvings >= 1, kName, "max_halvings must be >= 1, got {}", max_halvings);
}

template <class Scalar>
FixedPoint<Scalar>::FixedPoint(FixedPointOptions options, SolverHooks hooks)
    : options_(options), hooks_(std::move(hooks)) {
  options_.validate();
}

template <class Scalar>
SolverResult<Scalar> FixedPoint<Scalar>::minimize(const Context& context,
                                                  Objective<Scalar>& objective,
                                                  ConstMatrixView<Scalar> start) {
  check_start(objective, start, kName);
  return Run<Scalar>(options_, hooks_, context, objective, Matrix<Scalar>::copy_of(start)).start();
}

template <class Scalar>
SolverResult<Scalar> FixedPoint<Scalar>::resume(const Context& context,
                                                Objective<Scalar>& objective,
                                                const Archive& state) {
  check_origin(state, kName, described(options_));
  Matrix<Scalar> W = state.matrix<Scalar>("W");
  check_state_shape(W, objective, kName);
  return Run<Scalar>(options_, hooks_, context, objective, std::move(W)).resume(state);
}

template class FixedPoint<float>;
template class FixedPoint<double>;

}  // namespace krica
