// SPDX-License-Identifier: BSD-3-Clause
//
// The paper's figure for the basis size on STL-10, evaluated on the test part with the folds of its
// table.
#include <array>

#include "experiments/sweeps.hpp"
#include "krica/bases/basis.hpp"

namespace krica {

Plan plan_basis_size(const Context&, const ExperimentRequest& request, const ExperimentData& data) {
  constexpr auto kSystems = std::to_array<System>({{"K-means, triangle", "kmeans-triangle"},
                                                   {"RICA", "rica"},
                                                   {"DRICA", "drica"},
                                                   {"d-RICA", "d-rica"},
                                                   {"kRICA", "krica"},
                                                   {"d-kRICA", "d-krica"},
                                                   kControl});
  const Sized<std::vector<double>> values = {
      {20, 40}, {100, 200, 400}, {50, 100, 200, 400, 800, 1200, 1600}};
  const Index classes = data.set.train->classes();
  const auto set = [classes](PipelineOptions& options, double value) {
    const auto atoms = static_cast<Index>(value);
    const bool by_class = basis_method(options.method).needs_labels;
    options.basis.components = by_class ? (atoms + classes - 1) / classes * classes : atoms;
  };
  Plan plan;
  plan.axis = "atoms K";
  plan.notes.push_back(folds_note(data));
  add_sweep(plan, {kSystems, values.at(request.size), set, true}, request, data,
            test_folds(request, data));
  return plan;
}

}  // namespace krica
