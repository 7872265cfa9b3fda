// SPDX-License-Identifier: BSD-3-Clause
//
// Adam on minibatches: the default for many samples.
//
// Kingma and Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015. A fraction of the samples
// is held out; after every epoch f is evaluated on them, the best W is kept, and training stops
// after `patience` epochs without improvement. The context's seed and the epoch determine the order
// of the samples.
#pragma once

#include <functional>
#include <vector>

#include "krica/runtime/library.hpp"
#include "krica/solvers/solver.hpp"

namespace krica {

enum class RateSchedule {
  kConstant,
  kCosine,    ///< half a cosine, from rate to 0 over all epochs
  kOneCycle,  ///< from rate/25 up to rate over the first 30 % of the steps, then down to rate/10⁴
              ///< (cosines)
};
KRICA_EXPORT std::string_view name_of(RateSchedule schedule);
KRICA_EXPORT RateSchedule rate_schedule(std::string_view name);

struct KRICA_EXPORT AdamOptions {
  Index epochs = 20;   ///< maximum, >= 0; determines the schedule
  Index batch = 512;   ///< samples per step, >= 1; at most the samples not held out
  double rate = 1e-2;  ///< > 0
  RateSchedule schedule = RateSchedule::kCosine;
  double beta1 = 0.9;             ///< in [0, 1)
  double beta2 = 0.999;           ///< in [0, 1)
  double epsilon = 1e-8;          ///< > 0
  double held_out = 0.1;          ///< fraction of samples, in (0, 1); at least 1 sample
  Index held_out_limit = 10000;   ///< at most this many samples, >= 1
  Index patience = 5;             ///< epochs without improvement, >= 1
  double min_improvement = 1e-4;  ///< of the held-out value, relative to max(1, |f|); >= 0

  void validate() const;
};

template <class Scalar>
class KRICA_EXPORT Adam {
 public:
  explicit Adam(AdamOptions options = {}, SolverHooks hooks = {});

  /// As Lbfgs::minimize. result.value is the held-out value.
  SolverResult<Scalar> minimize(const Context& context, SampledObjective<Scalar>& objective,
                                ConstMatrixView<Scalar> start);
  /// As Lbfgs::resume; all options and the seed must be those of the first run.
  SolverResult<Scalar> resume(const Context& context, SampledObjective<Scalar>& objective,
                              const Archive& state);

 private:
  AdamOptions options_;
  SolverHooks hooks_;
};

/// The number of steps in which the one-cycle schedule increases the rate.
KRICA_EXPORT Index warm_up_steps(Index total_steps);

/// The learning rate of step `step` of `total_steps`.
KRICA_EXPORT double rate_at(const AdamOptions& options, Index step, Index total_steps);

/// Adam on samples that arrive in parts: one pass over each part, in steps of at most `batch`
/// samples and at a constant rate; W and the gradient moments carry over from part to part. Nothing
/// is held out, so the result is the last W.
///
///   krica::AdamStream<float> stream;
///   for (part...) { objective of the part; stream.pass(context, objective, options, start); }
template <class Scalar>
class KRICA_EXPORT AdamStream {
 public:
  AdamStream() = default;
  explicit AdamStream(const Archive& archive);

  /// Starts at W instead of the first pass's start().
  void begin(ConstMatrixView<Scalar> W);

  /// Passes over the objective's samples, in an order determined by the seed and the number of
  /// passes; the first pass starts at start(). Only batch, rate, betas and epsilon of the options
  /// apply. Returns kIterationLimit; or kCancelled or kNumericalTrouble, keeping the steps taken so
  /// far.
  Status pass(const Context& context, SampledObjective<Scalar>& objective,
              const AdamOptions& options, const std::function<Matrix<Scalar>()>& start);

  [[nodiscard]] bool begun() const { return W_.size() > 0; }
  [[nodiscard]] const Matrix<Scalar>& W() const { return W_; }
  /// One row per pass; value and training_value are the mean minibatch value.
  [[nodiscard]] const std::vector<HistoryRow>& history() const { return history_; }

  [[nodiscard]] Archive saved() const;

 private:
  Matrix<Scalar> W_;
  Matrix<Scalar> first_moment_;
  Matrix<Scalar> second_moment_;
  std::vector<HistoryRow> history_;
  Index step_ = 0;
};

}  // namespace krica
