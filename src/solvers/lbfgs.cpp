// SPDX-License-Identifier: BSD-3-Clause
#include "krica/solvers/lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "runtime/check.hpp"
#include "runtime/parallel.hpp"
#include "solvers/common.hpp"
#include "solvers/iterations.hpp"
#include "solvers/option_fields.hpp"
#include "solvers/wolfe_search.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "lbfgs";

/// W with its f and gradient.
template <class Scalar>
struct Iterate {
  Matrix<Scalar> W;
  Matrix<Scalar> gradient;
  double value = 0;
};

/// A step along a direction, and the iterate it reaches.
template <class Scalar>
struct Move {
  Iterate<Scalar> to;
  double step = 0;
};

/// s = W⁺ - W, y = g⁺ - g and 1/(s·y): one correction of the inverse Hessian.
template <class Scalar>
struct Correction {
  Matrix<Scalar> s;
  Matrix<Scalar> y;
  double inverse_product = 0;
  double scaling = 1;  // s·y / y·y
};

template <class Scalar>
class Run {
 public:
  Run(const LbfgsOptions& options, const SolverHooks& hooks, const Context& context,
      Objective<Scalar>& objective)
      : options_(options),
        context_(context),
        objective_(objective),
        iterations_(context, hooks, kName, options.max_iterations) {}

  SolverResult<Scalar> start(ConstMatrixView<Scalar> W) {
    current_.W = Matrix<Scalar>::copy_of(W);
    current_.gradient = Matrix<Scalar>(W.rows(), W.cols());
    return iterate();
  }

  SolverResult<Scalar> resume(const Archive& state) {
    check_origin(state, kName, identity_of(options_));
    current_.W = state.matrix<Scalar>("W");
    check_state_shape(current_.W, objective_, kName);
    if (state.text("evaluated") != "yes") return start(current_.W);
    load(state);
    return iterate();
  }

 private:
  SolverResult<Scalar> iterate() {
    const Status status = iterations_.run(
        [this] { return turn(); },
        [this](Status end) { return examined(context_, objective_, current_.W, end); },
        [this] { return saved(); });
    auto result = iterations_.template result<Scalar>(status, saved());
    result.best = std::move(current_.W);
    if (result.history.empty()) result.value = current_.value;
    return result;
  }

  /// The first evaluation, or one iteration; returns a status when done.
  std::optional<Status> turn() {
    if (!evaluated_) return evaluate_start();
    if (!is_finite(current_)) return Status::kNumericalTrouble;
    if (settled_ || gradient_is_small()) return Status::kConverged;
    if (iterations_.used_up()) return Status::kIterationLimit;
    std::optional<Move<Scalar>> move = next_move();
    if (!move) return status_without_move();
    take(std::move(*move));
    return std::nullopt;
  }

  std::optional<Status> evaluate_start() {
    current_.value = evaluate(current_.W, current_.gradient);
    evaluated_ = true;
    if (!is_finite(current_)) return Status::kNumericalTrouble;
    iterations_.record(current_.value, norm_of(current_.gradient), 0);
    return std::nullopt;
  }

  /// If the decrease predicted by the model of f is below its rounding error, the run has
  /// converged; otherwise the line search failed.
  [[nodiscard]] Status status_without_move() const {
    if (!met_finite_) return Status::kNumericalTrouble;
    return predicted_decrease_ <= rounding_error() ? Status::kConverged : Status::kLineSearchFailed;
  }

  /// Rounding error of f at the current iterate: a few units in the last place of its terms.
  [[nodiscard]] double rounding_error() const {
    return 16 * static_cast<double>(std::numeric_limits<Scalar>::epsilon()) *
           std::max(1.0, std::abs(current_.value));
  }

  /// A step that decreases f, or none. If the quasi-Newton direction fails, tries steepest descent.
  /// Changes none of the saved state except the evaluation count.
  std::optional<Move<Scalar>> next_move() {
    met_finite_ = false;
    restarted_ = corrections_.empty();
    predicted_decrease_ = HUGE_VAL;
    if (!restarted_) {
      const Matrix<Scalar> newton = direction();
      // Half of the Newton decrement g·H·g.
      predicted_decrease_ =
          -0.5 * ordered_dot(current_.gradient.data(), newton.data(), newton.size());
      auto move = search(newton, 1.0);
      if (move) return move;
      restarted_ = true;
    }
    Matrix<Scalar> downhill = current_.gradient;
    for (Index i = 0; i < downhill.size(); ++i) downhill.data()[i] = -downhill.data()[i];
    return search(downhill, std::min(1.0, 1.0 / norm_of(downhill)));
  }

  void take(Move<Scalar> move) {
    if (restarted_) corrections_.clear();
    learn(move.to);
    settled_ = fell_too_little(current_.value, move.to.value, options_.value_tolerance,
                               options_.value_scale);
    current_ = std::move(move.to);
    iterations_.record(current_.value, norm_of(current_.gradient), move.step);
  }

  /// -H g by the two-loop recursion (Nocedal and Wright, algorithm 7.4).
  [[nodiscard]] Matrix<Scalar> direction() const {
    Matrix<Scalar> d = current_.gradient;
    std::vector<double> alpha(corrections_.size());
    for (std::size_t i = corrections_.size(); i-- > 0;) {
      const auto& c = corrections_[i];
      alpha[i] = c.inverse_product * ordered_dot(c.s.data(), d.data(), d.size());
      step_along(d, -alpha[i], c.y, d);
    }
    const auto scaling = static_cast<Scalar>(corrections_.back().scaling);
    for (Index i = 0; i < d.size(); ++i) d.data()[i] *= scaling;
    for (std::size_t i = 0; i < corrections_.size(); ++i) {
      const auto& c = corrections_[i];
      const double beta = c.inverse_product * ordered_dot(c.y.data(), d.data(), d.size());
      step_along(d, alpha[i] - beta, c.s, d);
    }
    for (Index i = 0; i < d.size(); ++i) d.data()[i] = -d.data()[i];
    return d;
  }

  /// A lower point along d, or none.
  std::optional<Move<Scalar>> search(const Matrix<Scalar>& d, double first_step) {
    const double slope = ordered_dot(current_.gradient.data(), d.data(), d.size());
    if (!(slope < 0)) return std::nullopt;
    WolfeSearch search({options_.sufficient_decrease, options_.curvature}, current_.value, slope,
                       first_step);
    Iterate<Scalar> trial{Matrix<Scalar>(d.rows(), d.cols()), Matrix<Scalar>(d.rows(), d.cols()),
                          0};
    std::optional<Move<Scalar>> lowest;  // good enough if the curvature condition cannot be met
    for (Index tries = 0; tries < options_.max_line_search; ++tries) {
      const double at = search.step();
      step_along(current_.W, at, d, trial.W);
      if (same_elements(trial.W, current_.W)) break;  // the step is lost to rounding
      trial.value = all_finite(trial.W) ? evaluate(trial.W, trial.gradient) : HUGE_VAL;
      const bool finite = is_finite(trial);
      met_finite_ = met_finite_ || finite;
      const double trial_slope =
          finite ? ordered_dot(trial.gradient.data(), d.data(), d.size()) : 0;
      const auto outcome = finite ? search.advance(trial.value, trial_slope) : search.retreat();
      const bool satisfied = finite && outcome == WolfeSearch::Outcome::kSatisfied;
      const bool lower = finite && trial.value < (lowest ? lowest->to.value : current_.value);
      if (satisfied || lower) lowest = Move<Scalar>{trial, at};
      if (outcome != WolfeSearch::Outcome::kEvaluate) break;
    }
    if (lowest && !(lowest->to.value < current_.value)) return std::nullopt;
    return lowest;
  }

  void learn(const Iterate<Scalar>& next) {
    Correction<Scalar> c{Matrix<Scalar>(next.W.rows(), next.W.cols()),
                         Matrix<Scalar>(next.W.rows(), next.W.cols())};
    step_along(next.W, -1, current_.W, c.s);
    step_along(next.gradient, -1, current_.gradient, c.y);
    remember(std::move(c));
  }

  void remember(Correction<Scalar> c) {
    const double product = ordered_dot(c.s.data(), c.y.data(), c.s.size());
    const double y_squared = ordered_dot(c.y.data(), c.y.data(), c.y.size());
    if (!(product > 1e-12 * y_squared))
      return;  // no positive curvature: the pair would corrupt the Hessian
    c.inverse_product = 1 / product;
    c.scaling = product / y_squared;
    corrections_.push_back(std::move(c));
    if (static_cast<Index>(corrections_.size()) > options_.history) corrections_.pop_front();
  }

  double evaluate(const Matrix<Scalar>& W, Matrix<Scalar>& gradient) {
    context_.check_cancelled();  // for objectives that do not check
    const double value = objective_.value_and_gradient(context_, W, gradient);
    iterations_.count_evaluation();
    return value;
  }

  static bool same_elements(const Matrix<Scalar>& a, const Matrix<Scalar>& b) {
    return std::equal(a.data(), a.data() + a.size(), b.data());
  }

  static bool is_finite(const Iterate<Scalar>& iterate) {
    return std::isfinite(iterate.value) && std::isfinite(norm_of(iterate.gradient));
  }

  [[nodiscard]] bool gradient_is_small() const {
    return norm_of(current_.gradient) <=
           options_.gradient_tolerance * std::max(1.0, norm_of(current_.W));
  }

  [[nodiscard]] Archive saved() const {
    Archive state;
    put_origin(state, kName, identity_of(options_));
    state.put_text("evaluated", evaluated_ ? "yes" : "no");
    state.put("W", current_.W);
    state.put("gradient", current_.gradient);
    const std::vector<double> scalars = {current_.value, settled_ ? 1.0 : 0.0};
    const std::vector<std::int64_t> counts = {iterations_.done(), iterations_.evaluations(),
                                              static_cast<std::int64_t>(corrections_.size())};
    state.put_vector<double>("scalars", scalars);
    state.put_vector<std::int64_t>("counts", counts);
    put_history(state, iterations_.history());
    for (std::size_t i = 0; i < corrections_.size(); ++i) {
      state.put(fmt::format("s{}", i), corrections_[i].s);
      state.put(fmt::format("y{}", i), corrections_[i].y);
    }
    return state;
  }

  void load(const Archive& state) {
    evaluated_ = true;
    current_.gradient = state.matrix<Scalar>("gradient");
    check_state_shape(current_.gradient, objective_, kName);
    const auto scalars = state.vector<double>("scalars", 2);
    const auto counts = state.vector<std::int64_t>("counts", 3);
    if (counts[0] < 0 || counts[1] < 0) throw DataError("[lbfgs] the state's counters are wrong");
    current_.value = scalars[0];
    settled_ = scalars[1] != 0;
    iterations_.resume(history_from(state), counts[1]);
    for (std::int64_t i = 0; i < counts[2]; ++i) {
      Correction<Scalar> c{state.matrix<Scalar>(fmt::format("s{}", i)),
                           state.matrix<Scalar>(fmt::format("y{}", i))};
      check_state_shape(c.s, objective_, kName);
      check_state_shape(c.y, objective_, kName);
      remember(std::move(c));
    }
  }

  const LbfgsOptions& options_;
  const Context& context_;
  Objective<Scalar>& objective_;
  Iterate<Scalar> current_;
  std::deque<Correction<Scalar>> corrections_;
  Iterations iterations_;
  bool evaluated_ = false;                // f is known at current_
  bool settled_ = false;                  // f hardly decreases any more
  bool met_finite_ = false;               // at a step of the current iteration
  double predicted_decrease_ = HUGE_VAL;  // by a full quasi-Newton step of the current iteration
  bool restarted_ = false;                // the current iteration uses steepest descent
};

}  // namespace

void LbfgsOptions::validate() const {
  require_bounds(*this, kName);
  require(sufficient_decrease < curvature, kName,
          "sufficient_decrease must be less than curvature, got {} and {}", sufficient_decrease,
          curvature);
}

template <class Scalar>
Lbfgs<Scalar>::Lbfgs(LbfgsOptions options, SolverHooks hooks)
    : options_(options), hooks_(std::move(hooks)) {
  options_.validate();
}

template <class Scalar>
SolverResult<Scalar> Lbfgs<Scalar>::minimize(const Context& context, Objective<Scalar>& objective,
                                             ConstMatrixView<Scalar> start) {
  check_start(objective, start, kName);
  return Run<Scalar>(options_, hooks_, context, objective).start(start);
}

template <class Scalar>
SolverResult<Scalar> Lbfgs<Scalar>::resume(const Context& context, Objective<Scalar>& objective,
                                           const Archive& state) {
  return Run<Scalar>(options_, hooks_, context, objective).resume(state);
}

template class Lbfgs<float>;
template class Lbfgs<double>;

}  // namespace krica
