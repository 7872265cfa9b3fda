// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "data/errors.hpp"
#include "experiments/printed.hpp"
#include "experiments/row_computation.hpp"
#include "krica/runtime/error.hpp"
#include "krica/runtime/words.hpp"
#include "models/checkpoint.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/ranks.hpp"

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

/// A name as in the table means that system alone; in another case, also all of the method.
bool means(const PlannedExperiment& planned, const std::string& name,
           const Configuration& configuration) {
  const auto& all = planned.plan.configurations;
  const auto has_name = [&](const Configuration& c) { return c.system == name; };
  return std::any_of(all.begin(), all.end(), has_name) ? has_name(configuration)
                                                       : is_called(configuration, name);
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
        if (!means(experiment, names[i], configuration)) continue;
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
  on_first_rank(context, [&] {
    with_io_errors("reproduce", [&] {
      create_directories_durably(directory / "checkpoints");
      create_directories_durably(directory / "models");
    });
  });
  compute_rows(context, planned, directory, results, computed);
  // By one rank, when all are done: another might already be at the next experiment.
  on_first_rank(context, [&] {
    std::error_code not_empty;  // another run's files may be there
    fs::remove(directory / "checkpoints", not_empty);
  });
}

}  // namespace krica
