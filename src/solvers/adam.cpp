// SPDX-License-Identifier: BSD-3-Clause
#include "krica/solvers/adam.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "runtime/check.hpp"
#include "runtime/names.hpp"
#include "solvers/adam_step.hpp"
#include "solvers/common.hpp"

namespace krica {
namespace {

constexpr std::string_view kName = "adam";
constexpr NameTable<RateSchedule, 3> kSchedules = {{
    {RateSchedule::kConstant, "constant"},
    {RateSchedule::kCosine, "cosine"},
    {RateSchedule::kOneCycle, "one-cycle"},
}};

// The one-cycle schedule: where it starts, peaks and ends.
constexpr double kWarmUp = 0.3;
constexpr double kStartDivisor = 25;
constexpr double kEndDivisor = 1e4;

std::string described(const AdamOptions& o, std::uint64_t seed) {
  return fmt::format(
      "epochs={} batch={} rate={} schedule={} beta1={} beta2={} epsilon={} held_out={} "
      "held_out_limit={} patience={} "
      "min_improvement={} seed={}",
      o.epochs, o.batch, o.rate, name_of(o.schedule), o.beta1, o.beta2, o.epsilon, o.held_out,
      o.held_out_limit, o.patience, o.min_improvement, seed);
}

/// From a at 0 to b at 1, half a cosine.
double cosine_between(double a, double b, double part) {
  return b + (a - b) * (1 + std::cos(std::numbers::pi * part)) / 2;
}

/// Which samples are held out and which are trained on; from the seed alone.
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
        hooks_(hooks),
        context_(context),
        objective_(objective),
        split_(options, context, objective.n_samples()),
        gradient_(objective.rows(), objective.cols()) {
    const auto available = static_cast<Index>(split_.training.size());
    require(options.batch <= available, kName,
            "a batch of {} is larger than the {} samples that are not held out", options.batch,
            available);
    steps_an_epoch_ =
        available / options.batch;  // a last, smaller batch is left to the next epoch's shuffle
  }

  SolverResult<Scalar> start(ConstMatrixView<Scalar> W) {
    W_ = Matrix<Scalar>::copy_of(W);
    best_ = W_;
    first_moment_ = Matrix<Scalar>(W.rows(), W.cols());
    second_moment_ = Matrix<Scalar>(W.rows(), W.cols());
    return train();
  }

  SolverResult<Scalar> resume(const Archive& state) {
    check_origin(state, kName, described(options_, context_.seed()));
    load(state);
    return train();
  }

 private:
  SolverResult<Scalar> train() {
    try {
      while (true) {
        // Every epoch ends in a measurement, and one comes before the first; history_ has a row for
        // each.
        const Index epochs_done = step_ / steps_an_epoch_;
        if (static_cast<Index>(history_.size()) <= epochs_done && !measure(epochs_done)) {
          return finish(Status::kNumericalTrouble);
        }
        if (stale_epochs_ >= options_.patience) return finish(Status::kConverged);
        if (epochs_done >= options_.epochs) return finish(Status::kIterationLimit);
        if (!take_step(next_batch())) return finish(Status::kNumericalTrouble);
        if (hooks_.checkpoint && hooks_.checkpoint_every > 0 &&
            step_ % hooks_.checkpoint_every == 0) {
          hooks_.checkpoint(saved());
        }
      }
    } catch (const Cancelled&) {
      return finish(Status::kCancelled);  // the unfinished step or measurement is dropped
    }
  }

  std::vector<Index> next_batch() {
    const Index epoch = step_ / steps_an_epoch_;
    if (epoch != shuffled_epoch_) {
      Random random = context_.random("adam.shuffle", static_cast<std::uint64_t>(epoch));
      order_ = random_permutation(random, static_cast<Index>(split_.training.size()));
      shuffled_epoch_ = epoch;
    }
    const Index first = (step_ % steps_an_epoch_) * options_.batch;
    std::vector<Index> batch;
    for (Index i = first; i < first + options_.batch; ++i) {
      batch.push_back(
          split_.training[static_cast<std::size_t>(order_[static_cast<std::size_t>(i)])]);
    }
    return batch;
  }

  bool take_step(std::span<const Index> batch) {
    context_.check_cancelled();  // for objectives that do not ask
    const double value = objective_.value_and_gradient_on(batch, W_, gradient_);
    if (!std::isfinite(value) || !all_finite(gradient_)) return false;
    const double rate = rate_at(options_, step_, options_.epochs * steps_an_epoch_);
    ++step_;
    batch_sum_ += value;
    adam_step<Scalar>(options_, step_, rate, gradient_, {W_, first_moment_, second_moment_});
    return true;
  }

  /// f on the held-out samples; keeps W_ where it is the best so far.
  bool measure(Index epoch) {
    if (!all_finite(W_)) return false;
    context_.check_cancelled();
    const double value = objective_.value_on(split_.held_out, W_);
    if (!std::isfinite(value)) return false;
    const double needed = options_.min_improvement * std::max(1.0, std::abs(best_value_));
    const bool improved = epoch == 0 || value < best_value_ - needed;
    stale_epochs_ = improved ? 0 : stale_epochs_ + 1;
    if (epoch == 0 || value < best_value_) {
      best_value_ = value;
      best_ = W_;
    }
    const double mean = epoch == 0 ? 0 : batch_sum_ / static_cast<double>(steps_an_epoch_);
    const double rate =
        epoch == 0 ? 0 : rate_at(options_, step_ - 1, options_.epochs * steps_an_epoch_);
    batch_sum_ = 0;
    history_.push_back({epoch, step_, value, mean, rate});
    if (hooks_.iteration) hooks_.iteration(history_.back());
    context_.report({kName, epoch, options_.epochs, value});
    return true;
  }

  SolverResult<Scalar> finish(Status status) {
    SolverResult<Scalar> result;
    result.status = examined<Scalar>(objective_, best_, status);
    result.state = saved();
    result.best = std::move(best_);
    result.value = best_value_;
    result.iterations = step_ / std::max<Index>(1, steps_an_epoch_);
    result.evaluations = step_;
    result.history = std::move(history_);
    return result;
  }

  [[nodiscard]] Archive saved() const {
    Archive state;
    put_origin(state, kName, described(options_, context_.seed()));
    state.put("W", W_);
    state.put("best", best_);
    state.put("first_moment", first_moment_);
    state.put("second_moment", second_moment_);
    const std::vector<std::int64_t> counts = {step_, stale_epochs_, objective_.n_samples()};
    const std::vector<double> scalars = {best_value_, batch_sum_};
    state.put_vector<std::int64_t>("counts", counts);
    state.put_vector<double>("scalars", scalars);
    put_history(state, history_);
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
            "the state was made with {} samples, there are {}", counts[2], objective_.n_samples());
    step_ = counts[0];
    stale_epochs_ = counts[1];
    best_value_ = scalars[0];
    batch_sum_ = scalars[1];
    history_ = history_from(state);
  }

  const AdamOptions& options_;
  const SolverHooks& hooks_;
  const Context& context_;
  SampledObjective<Scalar>& objective_;
  Split split_;
  Index steps_an_epoch_ = 1;
  Matrix<Scalar> W_;
  Matrix<Scalar> gradient_;
  Matrix<Scalar> first_moment_;
  Matrix<Scalar> second_moment_;
  Matrix<Scalar> best_;
  double best_value_ = std::numeric_limits<double>::infinity();
  double batch_sum_ = 0;  // of the epoch's minibatch values
  std::vector<HistoryRow> history_;
  std::vector<Index> order_;  // of the training samples in shuffled_epoch_
  Index shuffled_epoch_ = -1;
  Index step_ = 0;
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

void AdamOptions::validate() const {
  const auto in_unit = [](double beta) { return beta >= 0 && beta < 1; };
  require(epochs >= 0, kName, "epochs must be >= 0, got {}", epochs);
  require(batch >= 1, kName, "batch must be >= 1, got {}", batch);
  require(std::isfinite(rate) && rate > 0, kName, "rate must be finite and > 0, got {}", rate);
  require(in_unit(beta1) && in_unit(beta2), kName,
          "beta1 and beta2 must be in [0, 1), got {} and {}", beta1, beta2);
  require(epsilon > 0, kName, "epsilon must be > 0, got {}", epsilon);
  require(held_out > 0 && held_out < 1, kName, "held_out must be in (0, 1), got {}", held_out);
  require(held_out_limit >= 1, kName, "held_out_limit must be >= 1, got {}", held_out_limit);
  require(patience >= 1, kName, "patience must be >= 1, got {}", patience);
  require(min_improvement >= 0, kName, "min_improvement must be >= 0, got {}", min_improvement);
}

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
