// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/row_computation.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "experiments/distances.hpp"
#include "experiments/shared_basis.hpp"
#include "krica/runtime/error.hpp"
#include "krica/runtime/library.hpp"
#include "models/checkpoint.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/farm.hpp"
#include "runtime/memory.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

ImageSetPtr training_images(const DataSet& data, const TrialSplit& split) {
  return split.train.empty() ? data.train : subset(data.train, split.train);
}

TestedModel train_and_test(const Context& context, const DataSet& data,
                           const Configuration& configuration, const TrialSplit& split,
                           const fs::path& checkpoint) {
  PipelineOptions options = configuration.options;
  options.seed = split.seed;
  TrainingReport report;
  Model model =
      train(context, *training_images(data, split), {std::move(options), checkpoint}, &report);
  Matrix<float> scores = model.scores(context, *test_images(data, split));
  return {std::move(model), std::move(report), std::move(scores)};
}

/// What a shared basis and its features depend on.
std::string basis_key(const Configuration& configuration) {
  const auto& splits = configuration.splits;
  const bool test_part = std::any_of(splits.begin(), splits.end(),
                                     [](const TrialSplit& split) { return split.test.empty(); });
  return to_json(configuration.options) + (configuration.photographs ? " photographs" : "") +
         (test_part ? " test part" : "");
}

/// The basis that splits share, and groups of a table that differ in their splits only.
struct SharedBasisInUse {
  std::string key;
  std::optional<SharedBasis> basis;
};

/// The chosen configurations, those that share a basis one after another.
std::vector<const Configuration*> in_order_of_bases(const Plan& plan) {
  std::vector<const Configuration*> ordered;
  for (const Configuration& configuration : plan.configurations) {
    if (!configuration.chosen) continue;
    auto place = ordered.end();
    if (configuration.shared_basis) {
      const auto shares = [&, key = basis_key(configuration)](const Configuration* other) {
        return other->shared_basis && basis_key(*other) == key;
      };
      place = std::find_if(ordered.rbegin(), ordered.rend(), shares).base();
      if (place == ordered.begin()) place = ordered.end();
    }
    ordered.insert(place, &configuration);
  }
  return ordered;
}

/// Of a row in progress. Splits that share a basis share it.
fs::path checkpoint_of(const PlannedExperiment& planned, const Configuration& configuration,
                       const TrialSplit& split, const fs::path& directory) {
  const TrialSplit& owner = configuration.shared_basis ? configuration.splits.front() : split;
  const std::string key = identity_of(planned, configuration, owner).key();
  return directory / "checkpoints" / (key + ".checkpoint");
}

/// Removes the checkpoints of a configuration's rows that are in the file.
void remove_checkpoints(const PlannedExperiment& planned, const Configuration& configuration,
                        const fs::path& directory, const ResultsFile& results) {
  const auto is_there = [&](const TrialSplit& split) {
    return results.find(identity_of(planned, configuration, split).key()) != nullptr;
  };
  const auto& splits = configuration.splits;
  if (configuration.shared_basis && !std::all_of(splits.begin(), splits.end(), is_there)) return;
  for (const TrialSplit& split : splits) {
    if (is_there(split)) remove_checkpoint(checkpoint_of(planned, configuration, split, directory));
  }
}

/// Computes the rows of one configuration, one split after another.
class ConfigurationRun {
 public:
  ConfigurationRun(const Context& context, const PlannedExperiment& planned,
                   const Configuration& configuration, fs::path directory, SharedBasisInUse& shared)
      : context_(context),
        planned_(planned),
        configuration_(configuration),
        directory_(std::move(directory)),
        shared_(shared) {}

  /// A row with the trial of a split, or with the reason for its failure.
  ResultRow compute(const TrialSplit& split) {
    ResultRow row;
    row.identity = identity_of(planned_, configuration_, split);
    row.key = row.identity.key();
    row.version = version();
    try {
      fill(split, row);
    } catch (const Cancelled&) {
      throw;
    } catch (const IoError&) {
      throw;  // a full disk is not the configuration's fault
    } catch (const DeviceError&) {
      throw;  // nor is a GPU
    } catch (const std::bad_alloc& error) {
      if (context_.ranks() != nullptr) throw;  // other ranks may have had the memory
      row.error = error.what();
    } catch (const std::exception& error) {
      row.error = error.what();
    }
    return row;
  }

 private:
  [[nodiscard]] fs::path checkpoint(const TrialSplit& split) const {
    return checkpoint_of(planned_, configuration_, split, directory_);
  }

  void fill(const TrialSplit& split, ResultRow& row) {
    reset_peak_memory();
    const Context context = context_.with_seed(split.seed);
    const TestedModel tested = tested_model(context, split);
    const DataSet& data = images_for(planned_.data, configuration_);
    const ImageSetPtr test = test_images(data, split);
    const Index learned_from = training_images(data, split)->size();
    row.trial = trial_of(tested.model, tested.report, learned_from);
    add_test(tested.model, tested.scores, *test, row.trial);
    if (planned_.experiment->kind == ExperimentKind::kSimilarity) {
      row.distances = scaled_distances(context, tested.model, *subset(test, planned_.plan.shown));
      row.block_score = block_score(row.distances, *subset(test, planned_.plan.shown));
    }
    const bool shown = planned_.experiment->kind != ExperimentKind::kSweep;
    if (!shown || &split != &configuration_.splits.front()) return;
    on_first_rank(context, [&] {
      const fs::path path = model_path(directory_, planned_, configuration_);
      remove_leftovers(path);  // from a killed run
      tested.model.save(path);
    });
  }

  TestedModel tested_model(const Context& context, const TrialSplit& split) {
    const DataSet& data = images_for(planned_.data, configuration_);
    if (!configuration_.shared_basis)
      return train_and_test(context, data, configuration_, split, checkpoint(split));
    if (!shared_.basis || shared_.key != basis_key(configuration_)) {
      shared_.basis.reset();
      shared_.key = basis_key(configuration_);
      shared_.basis.emplace(context, data, configuration_, checkpoint(split));
    }
    return shared_.basis->test(context, split);
  }

  const Context& context_;
  const PlannedExperiment& planned_;
  const Configuration& configuration_;
  fs::path directory_;
  SharedBasisInUse& shared_;
};

/// One row after another.
void compute_in_order(const Context& context, const PlannedExperiment& planned,
                      const fs::path& directory, ResultsFile& results, const RowHook& computed) {
  SharedBasisInUse shared;
  for (const Configuration* configuration : in_order_of_bases(planned.plan)) {
    remove_checkpoints(planned, *configuration, directory, results);
    ConfigurationRun run(context, planned, *configuration, directory, shared);
    for (const TrialSplit& split : configuration->splits) {
      const std::string key = identity_of(planned, *configuration, split).key();
      if (results.find(key) != nullptr) continue;
      results.append(run.compute(split));
      if (computed) computed(results.rows().back());
      remove_checkpoints(planned, *configuration, directory, results);
    }
  }
}

/// What one rank, or a group of ranks, computes: a row, or all rows of splits that share a basis.
struct RowJob {
  const Configuration* configuration;
  std::vector<const TrialSplit*> splits;
};

std::vector<RowJob> missing_rows(const PlannedExperiment& planned, const ResultsFile& results) {
  std::vector<RowJob> jobs;
  for (const Configuration* configuration : in_order_of_bases(planned.plan)) {
    bool continued = false;
    for (const TrialSplit& split : configuration->splits) {
      if (results.find(identity_of(planned, *configuration, split).key()) != nullptr) continue;
      if (!continued) jobs.push_back({configuration, {}});
      jobs.back().splits.push_back(&split);
      continued = configuration->shared_basis;
    }
  }
  return jobs;
}

/// Jobs farmed out to the ranks. The first appends the rows to the file; all know them.
void compute_on_ranks(const Context& context, const PlannedExperiment& planned,
                      const fs::path& directory, ResultsFile& results, const RowHook& computed) {
  const std::vector<RowJob> jobs = missing_rows(planned, results);
  SharedBasisInUse shared;
  const auto compute = [&](const Context& group, Index number, std::string& lines) {
    const RowJob& job = jobs[static_cast<std::size_t>(number)];
    // Splits choose among the features of all images, which one rank must then have.
    const bool alone = job.configuration->shared_basis;
    if (alone && !is_first(group)) return;
    const Context own = alone ? group.with_ranks(nullptr) : group;
    ConfigurationRun run(own, planned, *job.configuration, directory, shared);
    for (const TrialSplit* split : job.splits) lines += to_json(run.compute(*split)) + "\n";
  };
  const auto take = [&](Index number, const std::string& lines) {
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);) {
      ResultRow row = row_from_json(line, "computed by another process");
      if (!is_first(context)) {
        results.note(std::move(row));
        continue;
      }
      results.append(std::move(row));
      if (computed) computed(results.rows().back());
    }
    if (!is_first(context)) return;
    const RowJob& job = jobs[static_cast<std::size_t>(number)];
    remove_checkpoints(planned, *job.configuration, directory, results);
  };
  on_first_rank(context, [&] {
    for (const Configuration* configuration : in_order_of_bases(planned.plan))
      remove_checkpoints(planned, *configuration, directory, results);
  });
  farm(context, std::ssize(jobs), compute, take);
}

}  // namespace

void compute_rows(const Context& context, const PlannedExperiment& planned,
                  const fs::path& directory, ResultsFile& results, const RowHook& computed) {
  const auto compute = context.ranks() == nullptr ? compute_in_order : compute_on_ranks;
  compute(context, planned, directory, results, computed);
}

}  // namespace krica
