// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/sweeps.hpp"

namespace krica {
namespace {

constexpr Sized<Index> kComponents = {20, 200, 1600};
constexpr Index kField = 8;

}  // namespace

void add_sweep(Plan& plan, const Sweep& sweep, const ExperimentRequest& request,
               const ExperimentData& data, const std::vector<TrialSplit>& folds) {
  for (const System& system : sweep.systems) {
    const bool fixed = system.method == kControl.method && !sweep.varies_control;
    for (const double value : sweep.values) {
      Configuration configuration = configured(system, request, data, kComponents, kField);
      if (!fixed) {
        sweep.set(configuration.options, value);
        configuration.value = value;
      }
      set_folds(configuration, folds);
      plan.configurations.push_back(std::move(configuration));
      if (fixed) break;
    }
  }
}

}  // namespace krica
