// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "experiments/plans.hpp"

namespace krica {

/// The option that a figure of the paper varies, and its systems.
struct Sweep {
  std::span<const System> systems;
  std::vector<double> values;
  std::function<void(PipelineOptions&, double)> set;
  /// Whether the control depends on the value; otherwise it is computed once.
  bool varies_control = false;
};

/// One configuration per system and value, with the same folds.
void add_sweep(Plan& plan, const Sweep& sweep, const ExperimentRequest& request,
               const ExperimentData& data, const std::vector<TrialSplit>& folds);

}  // namespace krica
