// SPDX-License-Identifier: BSD-3-Clause
//
// What the experiments' plans share: sizes, systems and splits. One plan_*() a file.
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
Plan plan_similarity(const Context&, const ExperimentRequest&, const ExperimentData&);

/// A value for every size.
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

/// request.rounds, or the size's own.
int rounds_of(const ExperimentRequest& request, Sized<int> rounds);

/// A system of the paper's tables.
struct System {
  std::string_view name;  ///< as the table has it
  std::string_view method;
  double part = 1;  ///< of the experiment's atoms, where the paper took fewer for it
};

/// The controls of every table: what learned bases must beat, and what labels can do.
inline constexpr System kControl = {"Random patches (control)", "random-patches"};
inline constexpr System kMaxMargin = {"Max-margin kRICA", "max-margin-krica"};

/// The options of a system under the protocol: `components` atoms of field × field pixels at full
/// size, fewer and on coarser positions at the others. Atoms are a multiple of the classes where
/// they belong to them, and few for systems whose cost grows too fast with them; `note` then says
/// so.
Configuration configured(const System& system, const ExperimentRequest& request,
                         const ExperimentData& data, Sized<Index> components, Index field);

/// STL-10's folds, official where the set has them: each tested on the test part. A basis that
/// needs no labels is shared by them.
std::vector<TrialSplit> test_folds(const ExperimentRequest& request, const ExperimentData& data);
/// A line that says what the folds are; empty for the official ones.
std::string folds_note(const ExperimentData& data);

/// Cross-validation on the training part.
std::vector<TrialSplit> validation_folds(const Context& context, const ExperimentRequest& request,
                                         const ExperimentData& data);

/// Gives the configuration the folds, and lets it share its basis where its method allows it.
void set_folds(Configuration& configuration, std::vector<TrialSplit> folds);

}  // namespace krica
