// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "experiments/plans.hpp"

namespace krica {

/// What a figure of the paper varies, for which systems.
struct Sweep {
  std::span<const System> systems;
  std::vector<double> values;
  std::function<void(PipelineOptions&, double)> set;
  /// Whether the control changes with the value; otherwise it is computed once.
  bool varies_control = false;
};

/// One configuration for every system and value, with the same folds.
void add_sweep(Plan& plan, const Sweep& sweep, const ExperimentRequest& request,
               const ExperimentData& data, const std::vector<TrialSplit>& folds);

}  // namespace krica
