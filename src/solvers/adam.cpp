// SPDX-License-Identifier: BSD-3-Clause
#include "krica/solvers/adam.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "runtime/check.hpp"
#include "runtime/names.hpp"
#include "solvers/adam_update.hpp"
#include "solvers/common.hpp"
#include "solvers/iterations.hpp"
#include "solvers/minibatches.hpp"
#include "solvers/option_fields.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "adam";
constexpr NameTable<RateSchedule, 3> kSchedules = {{
    {RateSchedule::kConstant, "constant"},
    {RateSchedule::kCosine, "cosine"},
    {RateSchedule::kOneCycle, "one-cycle"},
}};

// The one-cycle schedule: start, peak and end.
constexpr double kWarmUp = 0.3;
constexpr double kStartDivisor = 25;
constexpr double kEndDivisor = 1e4;

/// Half a cosine, from a at 0 to b at 1.
double cosine_between(double a, double b, double part) {
  return b + (a - b) * (1 + std::cos(std::numbers::pi * part)) / 2;
}

/// The held-out and the training samples; determined by the seed alone.
struct Split {
  std::vector<Index> held_out;
  std::vector<Index> training;

  Split(const AdamOptions& options, const Context& context, Index n_samples) {
    require(n_samples >= 2, kName, "at least 2 samples are needed, got {}", n_samples);
    const auto wanted =
        static_cast<Index>(std::llround(options.held_out * static_cast<double>(n_samples)));
    const Index count =
        std::clamp<Index>(std::min(wanted, options.held_out_limit), 1, n_samples - 1);
    Random random = context.random("adam.held_out");
    held_out = random_subset(random, n_samples, count);
    std::vector<char> is_held(static_cast<std::size_t>(n_samples), 0);
    for (const Index i : held_out) is_held[static_cast<std::size_t>(i)] = 1;
    for (Index i = 0; i < n_samples; ++i) {
      if (is_held[static_cast<std::size_t>(i)] == 0) training.push_back(i);
    }
  }
};

template <class Scalar>
class Run {
 public:
  Run(const AdamOptions& options, const SolverHooks& hooks, const Context& context,
      SampledObjective<Scalar>& objective)
      : options_(options),
        context_(context),
        objective_(objective),
        iterations_(context, hooks, kName, options.epochs),
        split_(options, context, objective.n_samples()),
        batches_(context, "adam.shuffle", split_.training, options.batch, kName, "samples"),
        gradient_(objective.rows(), objective.cols()) {}

  SolverResult<Scalar> start(ConstMatrixView<Scalar> W) {
    W_ = Matrix<Scalar>::copy_of(W);
    best_ = W_;
    first_moment_ = Matrix<Scalar>(W.rows(), W.cols());
    second_moment_ = Matrix<Scalar>(W.rows(), W.cols());
    return train();
  }

  SolverResult<Scalar> resume(const Archive& state) {
    check_origin(state, kName, identity_of(options_, context_.seed()));
    load(state);
    return train();
  }

 private:
  SolverResult<Scalar> train() {
    const Status status = iterations_.run(
        [this] { return turn(); },
        [this](Status end) { return examined<Scalar>(context_, objective_, best_, end); },
        [this] { return saved(); });
    auto result = iterations_.template result<Scalar>(status, saved());
    result.best = std::move(best_);
    result.value = best_value_;
    result.iterations = batches_.epoch_of(steps());
    return result;
  }

  /// One step. A measurement follows every epoch and precedes the first; the history has one row
  /// for each.
  std::optional<Status> turn() {
    const Index epochs_done = batches_.epoch_of(steps());
    const auto measured = static_cast<Index>(iterations_.history().size());
    if (measured <= epochs_done && !measure(epochs_done)) return Status::kNumericalTrouble;
    if (stale_epochs_ >= options_.patience) return Status::kConverged;
    if (epochs_done >= options_.epochs) return Status::kIterationLimit;
    if (!take_step()) return Status::kNumericalTrouble;
    return std::nullopt;
  }

  [[nodiscard]] Index steps() const { return iterations_.evaluations(); }
  [[nodiscard]] double rate_of(Index step) const {
    return rate_at(options_, step, options_.epochs * batches_.steps_an_epoch());
  }

  bool take_step() {
    const std::vector<Index> batch = batches_.of_step(steps());
    context_.check_cancelled();  // for objectives that do not check
    const double value = objective_.value_and_gradient_on(context_, batch, W_, gradient_);
    if (!std::isfinite(value) || !all_finite(gradient_)) return false;
    const double rate = rate_of(steps());
    iterations_.count_evaluation();
    batch_sum_ += value;
    adam_update<Scalar>(options_, steps(), {rate}, gradient_, {W_, first_moment_, second_moment_});
    return true;
  }

  /// Evaluates f on the held-out samples; keeps W_ if it is the best so far.
  bool measure(Index epoch) {
    if (!all_finite(W_)) return false;
    context_.check_cancelled();
    const double value = objective_.value_on(context_, split_.held_out, W_);
    if (!std::isfinite(value)) return false;
    const double needed = options_.min_improvement * std::max(1.0, std::abs(best_value_));
    const bool improved = epoch == 0 || value < best_value_ - needed;
    stale_epochs_ = improved ? 0 : stale_epochs_ + 1;
    if (epoch == 0 || value < best_value_) {
      best_value_ = value;
      best_ = W_;
    }
    HistoryRow row{.iteration = epoch, .evaluations = steps(), .value = value, .step = 0};
    if (epoch > 0) {
      row.training_value = batch_sum_ / static_cast<double>(batches_.steps_an_epoch());
      row.step = rate_of(steps() - 1);
    }
    batch_sum_ = 0;
    iterations_.record(row);
    return true;
  }

  [[nodiscard]] Archive saved() const {
    Archive state;
    put_origin(state, kName, identity_of(options_, context_.seed()));
    state.put("W", W_);
    state.put("best", best_);
    state.put("first_moment", first_moment_);
    state.put("second_moment", second_moment_);
    const std::vector<std::int64_t> counts = {steps(), stale_epochs_, objective_.n_samples()};
    const std::vector<double> scalars = {best_value_, batch_sum_};
    state.put_vector<std::int64_t>("counts", counts);
    state.put_vector<double>("scalars", scalars);
    put_history(state, iterations_.history());
    return state;
  }

  void load(const Archive& state) {
    W_ = state.matrix<Scalar>("W");
    best_ = state.matrix<Scalar>("best");
    first_moment_ = state.matrix<Scalar>("first_moment");
    second_moment_ = state.matrix<Scalar>("second_moment");
    for (const auto* matrix : {&W_, &best_, &first_moment_, &second_moment_}) {
      check_state_shape<Scalar>(*matrix, objective_, kName);
    }
    const auto counts = state.vector<std::int64_t>("counts", 3);
    const auto scalars = state.vector<double>("scalars", 2);
    if (counts[0] < 0 || counts[1] < 0) throw DataError("[adam] the state's counters are wrong");
    require(counts[2] == objective_.n_samples(), kName,
            "the state was made with {} samples, but there are {}", counts[2],
            objective_.n_samples());
    iterations_.resume(history_from(state, &HistoryRow::training_value), counts[0]);
    stale_epochs_ = counts[1];
    best_value_ = scalars[0];
    batch_sum_ = scalars[1];
  }

  const AdamOptions& options_;
  const Context& context_;
  SampledObjective<Scalar>& objective_;
  Iterations iterations_;  // evaluations: steps
  Split split_;
  Minibatches batches_;
  Matrix<Scalar> W_;
  Matrix<Scalar> gradient_;
  Matrix<Scalar> first_moment_;
  Matrix<Scalar> second_moment_;
  Matrix<Scalar> best_;
  double best_value_ = std::numeric_limits<double>::infinity();
  double batch_sum_ = 0;  // of the epoch's minibatch values
  Index stale_epochs_ = 0;
};

}  // namespace

std::string_view name_of(RateSchedule schedule) { return find_name(kSchedules, schedule); }
RateSchedule rate_schedule(std::string_view name) {
  return find_value(kSchedules, name, "rate schedule");
}

Index warm_up_steps(Index total_steps) {
  return static_cast<Index>(std::ceil(kWarmUp * static_cast<double>(total_steps)));
}

double rate_at(const AdamOptions& options, Index step, Index total_steps) {
  if (options.schedule == RateSchedule::kConstant) return options.rate;
  const double part =
      static_cast<double>(step) / static_cast<double>(std::max<Index>(1, total_steps));
  if (options.schedule == RateSchedule::kCosine) return cosine_between(options.rate, 0, part);
  if (part < kWarmUp)
    return cosine_between(options.rate / kStartDivisor, options.rate, part / kWarmUp);
  return cosine_between(options.rate, options.rate / kEndDivisor, (part - kWarmUp) / (1 - kWarmUp));
}

void AdamOptions::validate() const { require_bounds(*this, kName); }

template <class Scalar>
Adam<Scalar>::Adam(AdamOptions options, SolverHooks hooks)
    : options_(options), hooks_(std::move(hooks)) {
  options_.validate();
}

template <class Scalar>
SolverResult<Scalar> Adam<Scalar>::minimize(const Context& context,
                                            SampledObjective<Scalar>& objective,
                                            ConstMatrixView<Scalar> start) {
  check_start<Scalar>(objective, start, kName);
  return Run<Scalar>(options_, hooks_, context, objective).start(start);
}

template <class Scalar>
SolverResult<Scalar> Adam<Scalar>::resume(const Context& context,
                                          SampledObjective<Scalar>& objective,
                                          const Archive& state) {
  return Run<Scalar>(options_, hooks_, context, objective).resume(state);
}

template class Adam<float>;
template class Adam<double>;

}  // namespace krica
