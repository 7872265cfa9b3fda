// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include "data/errors.hpp"
#include "experiments/distances.hpp"
#include "experiments/printed.hpp"
#include "experiments/shared_basis.hpp"
#include "krica/runtime/error.hpp"
#include "krica/runtime/library.hpp"
#include "krica/runtime/words.hpp"
#include "models/checkpoint.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/farm.hpp"
#include "runtime/memory.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

/// "RICA, 10 × 10 patches" as "rica-10-10-patches", for a file name.
std::string slug(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 128 && std::isalnum(byte) != 0) {
      result += static_cast<char>(std::tolower(byte));
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_called(const Configuration& configuration, const std::string& name) {
  return lower(name) == lower(configuration.system) || lower(name) == configuration.options.method;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Names of systems may contain the comma that separates them, so the longest name that is known
/// counts.
std::vector<std::string> names_in(const std::string& list,
                                  std::span<const PlannedExperiment> planned) {
  const auto is_known = [&](const std::string& name) {
    return std::any_of(planned.begin(), planned.end(), [&](const PlannedExperiment& experiment) {
      const auto& all = experiment.plan.configurations;
      return std::any_of(all.begin(), all.end(),
                         [&](const Configuration& c) { return is_called(c, name); });
    });
  };
  const auto comma_after = [&](std::size_t place) {
    return std::min(list.find(',', place), list.size());
  };
  std::vector<std::string> names;
  for (std::size_t first = 0; first <= list.size();) {
    std::size_t end = comma_after(first);
    for (std::size_t further = end; further < list.size();) {
      further = comma_after(further + 1);
      if (is_known(trimmed(list.substr(first, further - first)))) end = further;
    }
    names.push_back(trimmed(list.substr(first, end - first)));
    first = end + 1;
  }
  return names;
}

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

/// Throws DataError for a row that cannot belong to this split, although its key matches.
void check_fits(const ResultRow& row, const PlannedExperiment& planned, const TrialSplit& split) {
  if (row.failed()) return;
  const Index images = test_images(planned.data.set, split)->size();
  const bool similarity = planned.experiment->kind == ExperimentKind::kSimilarity;
  const std::size_t shown = similarity ? planned.plan.shown.size() : 0;
  const bool fits = std::ssize(row.trial.labels) == images &&
                    (!similarity || static_cast<std::size_t>(row.distances.rows()) == shown);
  if (fits) return;
  throw DataError(
      fmt::format("[results] the row of {}, {} {} has labels of {} images and distances of {}, but "
                  "the data has {} and {}; remove the line to recompute the row",
                  row.identity.experiment, row.identity.system, row.identity.split,
                  row.trial.labels.size(), row.distances.rows(), images, shown));
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
    } catch (const std::exception& error) {
      row.error = error.what();
    }
    return row;
  }

  [[nodiscard]] fs::path checkpoint(const TrialSplit& split) const {
    const TrialSplit& owner = configuration_.shared_basis ? configuration_.splits.front() : split;
    const std::string key = identity_of(planned_, configuration_, owner).key();
    return directory_ / "checkpoints" / (key + ".checkpoint");
  }

 private:
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
    const fs::path path = model_path(directory_, planned_, configuration_);
    remove_leftovers(path);  // from a killed run
    tested.model.save(path);
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
    ConfigurationRun run(context, planned, *configuration, directory, shared);
    for (const TrialSplit& split : configuration->splits) {
      const std::string key = identity_of(planned, *configuration, split).key();
      if (results.find(key) == nullptr) {
        results.append(run.compute(split));
        if (computed) computed(results.rows().back());
      }
      const bool last = &split == &configuration->splits.back();
      if (last || !configuration->shared_basis) remove_checkpoint(run.checkpoint(split));
    }
  }
}

/// What one rank computes: a row, or all rows of splits that share a basis.
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
  const auto compute = [&](const Context& alone, Index number) {
    const RowJob& job = jobs[static_cast<std::size_t>(number)];
    ConfigurationRun run(alone, planned, *job.configuration, directory, shared);
    std::string lines;
    for (const TrialSplit* split : job.splits) lines += to_json(run.compute(*split)) + "\n";
    return lines;
  };
  const auto take = [&](Index number, const std::string& lines) {
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);) {
      ResultRow row = row_from_json(line, "computed by another process");
      if (context.ranks()->rank() > 0) {
        results.note(std::move(row));
        continue;
      }
      results.append(std::move(row));
      if (computed) computed(results.rows().back());
    }
    const RowJob& job = jobs[static_cast<std::size_t>(number)];
    if (context.ranks()->rank() > 0) return;
    const ConfigurationRun run(context, planned, *job.configuration, directory, shared);
    for (const TrialSplit* split : job.splits) remove_checkpoint(run.checkpoint(*split));
  };
  farm(context, std::ssize(jobs), compute, take);
}

}  // namespace

std::string PlannedExperiment::title() const {
  return fmt::format("{}{}", experiment->title, plan.as_printed ? ", as printed" : "");
}

PlannedExperiment plan_experiment(const Context& context, const Experiment& experiment,
                                  const ExperimentRequest& request) {
  PlannedExperiment planned{&experiment, open_experiment_data(context, experiment, request), {}};
  planned.plan = experiment.plan(context, request, planned.data);
  if (request.as_printed) set_as_printed(experiment, planned.plan);
  if (context.cuda_device()) planned.device = device_text(context);
  return planned;
}

void choose_systems(const std::string& list, std::span<PlannedExperiment> planned) {
  const std::vector<std::string> names = names_in(list, planned);
  std::vector<std::string> known;
  std::vector<bool> found(names.size());
  for (PlannedExperiment& experiment : planned) {
    for (Configuration& configuration : experiment.plan.configurations) {
      configuration.chosen = false;
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (!is_called(configuration, names[i])) continue;
        configuration.chosen = true;
        found[i] = true;
      }
      const std::string& method = configuration.options.method;
      if (std::find(known.begin(), known.end(), method) == known.end()) known.push_back(method);
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!found[i]) unknown_word("system", lower(names[i]), known, "reproduce");
}

RowIdentity identity_of(const PlannedExperiment& planned, const Configuration& configuration,
                        const TrialSplit& split) {
  PipelineOptions options = configuration.options;
  options.seed = split.seed;
  return {std::string(planned.experiment->name),
          configuration.group,
          configuration.system,
          configuration.value,
          split.name,
          split.seed,
          planned.data.name,
          to_json(options),
          planned.device};
}

std::vector<const ResultRow*> rows_of(const ResultsFile& results, const PlannedExperiment& planned,
                                      const Configuration& configuration) {
  std::vector<const ResultRow*> rows;
  for (const TrialSplit& split : configuration.splits) {
    const ResultRow* row = results.find(identity_of(planned, configuration, split).key());
    if (row == nullptr) continue;
    check_fits(*row, planned, split);
    rows.push_back(row);
  }
  return rows;
}

fs::path model_path(const fs::path& directory, const PlannedExperiment& planned,
                    const Configuration& configuration) {
  const std::string key =
      identity_of(planned, configuration, configuration.splits.front()).key().substr(0, 8);
  return directory / "models" /
         fmt::format("{}-{}-{}.krica", planned.experiment->name, slug(configuration.system), key);
}

ImageSetPtr test_images(const DataSet& data, const TrialSplit& split) {
  return split.test.empty() ? data.test : subset(data.train, split.test);
}

void run_experiment(const Context& context, const PlannedExperiment& planned,
                    const fs::path& directory, ResultsFile& results, const RowHook& computed) {
  with_io_errors("reproduce", [&] {
    fs::create_directories(directory / "checkpoints");
    fs::create_directories(directory / "models");
  });
  const auto run = context.ranks() == nullptr ? compute_in_order : compute_on_ranks;
  run(context, planned, directory, results, computed);
  std::error_code not_empty;  // another run's files may be there
  fs::remove(directory / "checkpoints", not_empty);
}

}  // namespace krica
