// SPDX-License-Identifier: BSD-3-Clause
//
// The paper's table for STL-10: 1,600 atoms of 8 × 8, ten folds of 1,000 labelled images. Bases
// that need no labels are learned from the unlabelled images.
#include <array>

#include "experiments/plans.hpp"

namespace krica {
namespace {

constexpr auto kStlSystems = std::to_array<System>({{"Raw pixels", "raw-pixels"},
                                                    {"K-means, triangle", "kmeans-triangle"},
                                                    {"RICA", "rica"},
                                                    {"RICA, 10 × 10 patches", "rica"},
                                                    {"KICA", "kica"},
                                                    {"KSR", "ksr"},
                                                    {"DRICA", "drica"},
                                                    {"d-RICA", "d-rica"},
                                                    {"kRICA", "krica"},
                                                    {"d-kRICA", "d-krica"},
                                                    kControl,
                                                    kMaxMargin});

}  // namespace

Plan plan_stl10(const Context&, const ExperimentRequest& request, const ExperimentData& data) {
  Plan plan;
  plan.notes.push_back(folds_note(data));
  const std::vector<TrialSplit> folds = test_folds(request, data);
  for (const System& system : kStlSystems) {
    const Index field = system.name.ends_with("10 × 10 patches") ? 10 : 8;
    Configuration configuration = configured(system, request, data, {20, 200, 1600}, field);
    set_folds(configuration, folds);
    plan.configurations.push_back(std::move(configuration));
  }
  return plan;
}

}  // namespace krica
