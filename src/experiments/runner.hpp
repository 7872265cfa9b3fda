// SPDX-License-Identifier: BSD-3-Clause
//
// Computes the rows of a plan that are not in the results yet. Interrupted at any moment and
// started again, it ends with the same rows: one that is being computed goes on from its checkpoint
// (DIRECTORY/checkpoints). The models of the first split are kept in DIRECTORY/models.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "experiments/experiment.hpp"
#include "experiments/results.hpp"

namespace krica {

/// An experiment as it is run: what, on which images, how.
struct PlannedExperiment {
  const Experiment* experiment = nullptr;
  ExperimentData data;
  Plan plan;

  /// False for the built-in images: their results are not comparable with the paper's.
  [[nodiscard]] bool on_papers_data() const { return data.set.format != DataFormat::kEmbedded; }
};

/// Plans an experiment on its data. Throws as open_experiment_data.
PlannedExperiment plan_experiment(const Context& context, const Experiment& experiment,
                                  const ExperimentRequest& request);

/// What the row of this configuration and split is called.
RowIdentity identity_of(const PlannedExperiment& planned, const Configuration& configuration,
                        const TrialSplit& split);

/// The rows of a configuration that are there, in the order of its splits, failed ones included.
std::vector<const ResultRow*> rows_of(const ResultsFile& results, const PlannedExperiment& planned,
                                      const Configuration& configuration);

/// Where the model of the configuration's first split is kept.
std::filesystem::path model_path(const std::filesystem::path& directory,
                                 const PlannedExperiment& planned,
                                 const Configuration& configuration);

/// The images that a split tests on.
ImageSetPtr test_images(const DataSet& data, const TrialSplit& split);

using RowHook = std::function<void(const ResultRow&)>;

/// Adds what is missing to `results`; `computed` is called after every new row. A configuration
/// that cannot be computed gives rows with its error, and the rest goes on. Throws Cancelled, with
/// everything kept, and IoError.
void run_experiment(const Context& context, const PlannedExperiment& planned,
                    const std::filesystem::path& directory, ResultsFile& results,
                    const RowHook& computed = {});

}  // namespace krica
