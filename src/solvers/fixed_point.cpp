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
#include "solvers/iterations.hpp"
#include "solvers/option_fields.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "fixed_point";

/// Lower limit on a row's curvature, as a fraction of the largest: below it w* is too far away for
/// the quadratic form to be meaningful.
constexpr double kLeastCurvature = 1e-6;

/// W with its value, gradient and curvature.
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
      CurvedObjective<Scalar>& objective, Matrix<Scalar> W)
      : options_(options),
        context_(context),
        objective_(objective),
        current_(std::move(W)),
        iterations_(context, hooks, kName, options.max_iterations) {}

  SolverResult<Scalar> start() {
    const Status status = iterations_.run(
        [this] { return turn(); },
        [this](Status end) { return examined<Scalar>(context_, objective_, current_.W, end); },
        [this] { return saved(); });
    auto result = iterations_.template result<Scalar>(status, saved());
    result.best = std::move(current_.W);
    if (result.history.empty()) result.value = current_.value;
    return result;
  }

  SolverResult<Scalar> resume(const Archive& state) {
    const auto counts = state.vector<std::int64_t>("counts", 3);
    step_ = state.scalar<double>("step");
    if (counts[0] < 0 || counts[1] < 0 || !(step_ > 0 && step_ <= 1))
      throw DataError("[fixed_point] the state's counters are wrong");
    iterations_.resume(history_from(state), counts[1]);
    settled_ = counts[2] != 0;
    return start();
  }

 private:
  /// The first evaluation, or one iteration; returns a status when done.
  std::optional<Status> turn() {
    if (!evaluated_) return evaluate_start();
    const double small = options_.gradient_tolerance * std::max(1.0, norm_of(current_.W));
    if (settled_ || norm_of(current_.gradient) <= small) return Status::kConverged;
    if (iterations_.used_up()) return Status::kIterationLimit;
    double step = std::min(1.0, 2 * step_);
    std::optional<Iterate<Scalar>> next = lower_iterate(step);
    if (!next) return met_finite_ ? Status::kLineSearchFailed : Status::kNumericalTrouble;
    settled_ = fell_too_little(current_.value, next->value, options_.value_tolerance);
    current_ = std::move(*next);
    step_ = step;
    iterations_.record(current_.value, norm_of(current_.gradient), step);
    return std::nullopt;
  }

  /// A resumed run recomputes the gradient, from the same W to the same bits, and does not count it
  /// again.
  std::optional<Status> evaluate_start() {
    evaluate(current_);
    evaluated_ = true;
    const bool resumed = !iterations_.history().empty();
    if (!resumed) iterations_.count_evaluation();
    if (!is_finite(current_)) return Status::kNumericalTrouble;
    if (!resumed) iterations_.record(current_.value, norm_of(current_.gradient), 0);
    return std::nullopt;
  }

  /// -∂f/∂w_p / |D_p|: the step to w*_p, or away from it if that ascends.
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

  /// A full or halved step along direction() that decreases f sufficiently; none if there is no
  /// such step. `step` is the first to try; set to the one taken.
  std::optional<Iterate<Scalar>> lower_iterate(double& step) {
    met_finite_ = false;
    const Matrix<Scalar> d = direction();
    const double slope = ordered_dot(current_.gradient.data(), d.data(), d.size());
    Iterate<Scalar> trial(Matrix<Scalar>(d.rows(), d.cols()));
    for (Index halvings = 0; halvings < options_.max_halvings; ++halvings, step /= 2) {
      step_along(current_.W, step, d, trial.W);
      if (!all_finite(trial.W)) continue;
      evaluate(trial);
      iterations_.count_evaluation();
      if (!is_finite(trial)) continue;
      met_finite_ = true;
      const double enough = current_.value + options_.sufficient_decrease * step * slope;
      if (trial.value <= enough && trial.value < current_.value) return trial;
    }
    return std::nullopt;
  }

  void evaluate(Iterate<Scalar>& at) {
    context_.check_cancelled();  // for objectives that do not check
    at.value = objective_.value_gradient_and_curvature(context_, at.W, at.gradient, at.curvature);
  }

  static bool is_finite(const Iterate<Scalar>& at) {
    return std::isfinite(at.value) && std::isfinite(norm_of(at.gradient));
  }

  [[nodiscard]] Archive saved() const {
    Archive state;
    put_origin(state, kName, identity_of(options_));
    state.put("W", current_.W);
    const std::vector<std::int64_t> counts = {iterations_.done(), iterations_.evaluations(),
                                              settled_ ? 1 : 0};
    state.put_vector<std::int64_t>("counts", counts);
    state.put_scalar("step", step_);
    put_history(state, iterations_.history());
    return state;
  }

  const FixedPointOptions& options_;
  const Context& context_;
  CurvedObjective<Scalar>& objective_;
  Iterate<Scalar> current_;
  double step_ = 1;
  Iterations iterations_;
  bool evaluated_ = false;   // f is known at current_
  bool settled_ = false;     // f hardly decreases any more
  bool met_finite_ = false;  // at a step of the current iteration
};

}  // namespace

void FixedPointOptions::validate() const { require_bounds(*this, kName); }

template <class Scalar>
FixedPoint<Scalar>::FixedPoint(FixedPointOptions options, SolverHooks hooks)
    : options_(options), hooks_(std::move(hooks)) {
  options_.validate();
}

template <class Scalar>
SolverResult<Scalar> FixedPoint<Scalar>::minimize(const Context& context,
                                                  CurvedObjective<Scalar>& objective,
                                                  ConstMatrixView<Scalar> start) {
  check_start<Scalar>(objective, start, kName);
  return Run<Scalar>(options_, hooks_, context, objective, Matrix<Scalar>::copy_of(start)).start();
}

template <class Scalar>
SolverResult<Scalar> FixedPoint<Scalar>::resume(const Context& context,
                                                CurvedObjective<Scalar>& objective,
                                                const Archive& state) {
  check_origin(state, kName, identity_of(options_));
  Matrix<Scalar> W = state.matrix<Scalar>("W");
  check_state_shape<Scalar>(W, objective, kName);
  return Run<Scalar>(options_, hooks_, context, objective, std::move(W)).resume(state);
}

template class FixedPoint<float>;
template class FixedPoint<double>;

}  // namespace krica
