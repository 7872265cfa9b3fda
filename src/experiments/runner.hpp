// SPDX-License-Identifier: BSD-3-Clause
//
// Computes the rows of a plan that are missing from the results. It can be interrupted at any time
// and resumed, with the same final rows: an unfinished row continues from its checkpoint
// (DIRECTORY/checkpoints). The models of the first split are kept in DIRECTORY/models.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "experiments/experiment.hpp"
#include "experiments/results.hpp"

namespace krica {

/// An experiment to run, with its data and plan.
struct PlannedExperiment {
  const Experiment* experiment = nullptr;
  ExperimentData data;
  Plan plan;
  std::string device = {};  ///< as RowIdentity::device

  /// The experiment's title, with "as printed" where it is.
  [[nodiscard]] std::string title() const;
  /// False for the built-in images: their results cannot be compared with the paper's.
  [[nodiscard]] bool on_papers_data() const { return data.set.format != DataFormat::kEmbedded; }
  /// Whether tables show the paper's figures.
  [[nodiscard]] bool beside_paper() const { return experiment->in_paper() && on_papers_data(); }
};

/// Plans an experiment on its data. Throws like open_experiment_data.
PlannedExperiment plan_experiment(const Context& context, const Experiment& experiment,
                                  const ExperimentRequest& request);

/// Leaves out all systems but these, named as in the tables (in any case) or by their method; one
/// that is named exactly as in a table is meant alone. `list` separates them by commas, which names
/// may also contain. Throws InvalidArgument for a name that none of the experiments has.
void choose_systems(const std::string& list, std::span<PlannedExperiment> planned);

/// The identity of the row for this configuration and split.
RowIdentity identity_of(const PlannedExperiment& planned, const Configuration& configuration,
                        const TrialSplit& split);

/// The existing rows of a configuration, in the order of its splits, including failed ones.
std::vector<const ResultRow*> rows_of(const ResultsFile& results, const PlannedExperiment& planned,
                                      const Configuration& configuration);

/// The path of the model of the configuration's first split.
std::filesystem::path model_path(const std::filesystem::path& directory,
                                 const PlannedExperiment& planned,
                                 const Configuration& configuration);

/// The images that a split tests on.
ImageSetPtr test_images(const DataSet& data, const TrialSplit& split);

using RowHook = std::function<void(const ResultRow&)>;

/// Adds the missing rows of chosen configurations to `results`; calls `computed` after each. A
/// configuration that fails gives rows with its error, and the others continue. Throws Cancelled,
/// keeping everything so far, and IoError.
void run_experiment(const Context& context, const PlannedExperiment& planned,
                    const std::filesystem::path& directory, ResultsFile& results,
                    const RowHook& computed = {});

}  // namespace krica
