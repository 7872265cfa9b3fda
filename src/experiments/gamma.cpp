// SPDX-License-Identifier: BSD-3-Clause
//
// The paper's figure for the Gaussian's width γ on STL-10. The control also has a Gaussian code, so
// it varies with γ.
#include <array>

#include "experiments/sweeps.hpp"

namespace krica {

Plan plan_gamma(const Context& context, const ExperimentRequest& request,
                const ExperimentData& data) {
  constexpr auto kSystems =
      std::to_array<System>({{"kRICA", "krica"}, {"d-kRICA", "d-krica"}, kControl});
  const Sized<std::vector<double>> values = {
      {0.3, 3}, {0.1, 0.5, 1, 3, 10}, {0.01, 0.1, 0.3, 1, 2, 3, 4, 10}};
  Plan plan;
  plan.axis = "Gaussian width γ";
  add_sweep(plan,
            {kSystems, values.at(request.size),
             [](PipelineOptions& options, double value) { options.kernel.gamma = value; }, true},
            request, data, validation_folds(context, request, data));
  return plan;
}

}  // namespace krica
