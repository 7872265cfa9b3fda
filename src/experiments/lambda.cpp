// SPDX-License-Identifier: BSD-3-Clause
//
// The paper's figure for the sparsity weight λ on STL-10.
#include <array>

#include "experiments/sweeps.hpp"

namespace krica {

Plan plan_lambda(const Context& context, const ExperimentRequest& request,
                 const ExperimentData& data) {
  constexpr auto kSystems = std::to_array<System>({{"RICA", "rica"}, {"kRICA", "krica"}, kControl});
  const Sized<std::vector<double>> values = {
      {0.01, 0.1}, {0.001, 0.01, 0.1, 1}, {0.0001, 0.001, 0.01, 0.1, 1, 10}};
  Plan plan;
  plan.axis = "sparsity weight λ";
  add_sweep(plan,
            {kSystems, values.at(request.size),
             [](PipelineOptions& options, double value) { options.basis.sparsity = value; }},
            request, data, validation_folds(context, request, data));
  return plan;
}

}  // namespace krica
