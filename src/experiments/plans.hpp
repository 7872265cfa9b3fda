// SPDX-License-Identifier: BSD-3-Clause
//
// What the plans of the experiments share: sizes, systems and splits. One plan_*() per file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/experiment.hpp"

namespace krica {

Plan plan_caltech101(const Context&, const ExperimentRequest&, const ExperimentData&);
Plan plan_cifar10(const Context&, const ExperimentRequest&, const ExperimentData&);
Plan plan_stl10(const Context&, const ExperimentRequest&, const ExperimentData&);
Plan plan_kernels(const Context&, const ExperimentRequest&, const ExperimentData&);
Plan plan_lambda(const Context&, const ExperimentRequest&, const ExperimentData&);
Plan plan_alpha(const Context&, const ExperimentRequest&, const ExperimentData&);
Plan plan_gamma(const Context&, const ExperimentRequest&, const ExperimentData&);
Plan plan_basis_size(const Context&, const ExperimentRequest&, const ExperimentData&);
Plan plan_comparison(const Context&, const ExperimentRequest&, const ExperimentData&);
Plan plan_similarity(const Context&, const ExperimentRequest&, const ExperimentData&);

/// One value per size.
template <class Value>
struct Sized {
  Value smoke;
  Value quick;
  Value full;
  [[nodiscard]] Value at(ExperimentSize size) const {
    if (size == ExperimentSize::kSmoke) return smoke;
    return size == ExperimentSize::kQuick ? quick : full;
  }
};

/// request.rounds, or the default of the size.
int rounds_of(const ExperimentRequest& request, Sized<int> rounds);

/// A system of the paper's tables.
struct System {
  std::string_view name;  ///< as in the table
  std::string_view method;
  double part = 1;  ///< fraction of the experiment's atoms, if the paper used fewer
};

/// The controls of every table: what learned bases must beat, and what labels can achieve.
inline constexpr System kControl = {"Random patches (control)", "random-patches"};
inline constexpr System kMaxMargin = {"Max-margin kRICA", "max-margin-krica"};

/// The options of a system under the protocol: `components` atoms of field × field pixels at full
/// size, fewer and on coarser positions otherwise. The number of atoms is a multiple of the classes
/// if atoms belong to classes, and small for systems whose cost grows too fast with it; `note` then
/// says so.
Configuration configured(const System& system, const ExperimentRequest& request,
                         const ExperimentData& data, Sized<Index> components, Index field);

/// STL-10's folds, official if the set has them: each is evaluated on the test part. They share a
/// basis that needs no labels.
std::vector<TrialSplit> test_folds(const ExperimentRequest& request, const ExperimentData& data);
/// A line describing the folds; empty for the official ones.
std::string folds_note(const ExperimentData& data);

/// Cross-validation on the training part.
std::vector<TrialSplit> validation_folds(const Context& context, const ExperimentRequest& request,
                                         const ExperimentData& data);

/// Sets the folds, and lets them share the basis if the method allows it.
void set_folds(Configuration& configuration, std::vector<TrialSplit> folds);

}  // namespace krica
