// SPDX-License-Identifier: BSD-3-Clause
//
// The paper's figure for the discrimination weight α on STL-10.
#include <array>

#include "experiments/sweeps.hpp"

namespace krica {

Plan plan_alpha(const Context& context, const ExperimentRequest& request,
                const ExperimentData& data) {
  constexpr auto kSystems = std::to_array<System>(
      {{"DRICA", "drica"}, {"d-RICA", "d-rica"}, {"d-kRICA", "d-krica"}, kControl});
  const Sized<std::vector<double>> values = {
      {0.01, 0.1}, {0.001, 0.01, 0.1, 1}, {0.0001, 0.001, 0.01, 0.1, 1, 10}};
  Plan plan;
  plan.axis = "discrimination weight α";
  add_sweep(
      plan,
      {kSystems, values.at(request.size),
       [](PipelineOptions& options, double value) { options.basis.discrimination.weight = value; }},
      request, data, validation_folds(context, request, data));
  return plan;
}

}  // namespace krica
