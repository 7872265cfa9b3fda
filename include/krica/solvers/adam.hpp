// SPDX-License-Identifier: BSD-3-Clause
//
// Adam on minibatches: the default for many samples.
//
// Kingma and Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015. A part of the samples is
// held out; after every epoch f is measured on it, the best W is kept, and training stops when
// `patience` epochs bring no improvement. The order of the samples follows from the context's seed
// and the epoch.
#pragma once

#include "krica/solvers/solver.hpp"

namespace krica {

enum class RateSchedule {
  kConstant,
  kCosine,    ///< from rate to 0 over all epochs, half a cosine
  kOneCycle,  ///< rises from rate/25 to rate over the first 30 % of the steps, then falls to
              ///< rate/10⁴ (cosines)
};
std::string_view name_of(RateSchedule schedule);
RateSchedule rate_schedule(std::string_view name);

struct AdamOptions {
  Index epochs = 20;   ///< at most, >= 0; shapes the schedule
  Index batch = 512;   ///< samples a step, >= 1; at most the samples not held out
  double rate = 1e-2;  ///< > 0
  RateSchedule schedule = RateSchedule::kCosine;
  double beta1 = 0.9;     ///< in [0, 1)
  double beta2 = 0.999;   ///< in [0, 1)
  double epsilon = 1e-8;  ///< > 0
  double held_out =
      0.1;  ///< part of the samples, in (0, 1); at least 1 sample, at most held_out_limit
  Index held_out_limit = 10000;   ///< >= 1
  Index patience = 5;             ///< epochs without improvement, >= 1
  double min_improvement = 1e-4;  ///< of the held-out value, relative to max(1, |f|); >= 0

  void validate() const;
};

template <class Scalar>
class Adam {
 public:
  explicit Adam(AdamOptions options = {}, SolverHooks hooks = {});

  /// As Lbfgs::minimize. result.value is the held-out one.
  SolverResult<Scalar> minimize(const Context& context, SampledObjective<Scalar>& objective,
                                ConstMatrixView<Scalar> start);
  /// As Lbfgs::resume; every option and the seed must be those of the first run.
  SolverResult<Scalar> resume(const Context& context, SampledObjective<Scalar>& objective,
                              const Archive& state);

 private:
  AdamOptions options_;
  SolverHooks hooks_;
};

/// The steps of the one-cycle schedule in which the rate rises.
Index warm_up_steps(Index total_steps);

/// The rate of step `step` of `total_steps`.
double rate_at(const AdamOptions& options, Index step, Index total_steps);

}  // namespace krica
