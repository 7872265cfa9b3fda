// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "commands.hpp"
#include "experiments/search.hpp"
#include "krica/models/training.hpp"
#include "krica/runtime/error.hpp"
#include "prepared.hpp"
#include "progress.hpp"
#include "report/trial_report.hpp"
#include "run_report.hpp"
#include "runtime/printable.hpp"
#include "session.hpp"
#include "tell.hpp"
#include "tune_grid.hpp"
#include "waiting.hpp"

namespace krica::cli {
namespace {

using nlohmann::json;

struct TuneCommand {
  SessionOptions session;
  DataOptions data;
  PipelineOptions pipeline;
  std::vector<std::string> grid;
  int folds = 5;
  std::filesystem::path model;
  std::filesystem::path report;
  std::filesystem::path checkpoint;
};

/// The images to search on, and those to test the best setting on, if any.
struct TuneData {
  ImageSetPtr train;
  ImageSetPtr test;
};

/// Next to the command's output; in the current directory if it writes none.
std::filesystem::path checkpoint_path(const TuneCommand& command) {
  if (!command.checkpoint.empty()) return command.checkpoint;
  const std::filesystem::path& target = command.model.empty() ? command.report : command.model;
  return (target.empty() ? "krica" : target.string()) + ".tune-checkpoint";
}

/// Seconds to train a setting on all folds but one and test on that one; about the same as training
/// on all. 0 for a setting that the method rejects.
double fold_wait(const WaitEstimator& images, const PipelineOptions& options, const json& setting) {
  try {
    return images.training(with_setting(options, setting)).seconds();
  } catch (const InvalidArgument&) {
    return 0;
  }
}

/// Announces the expected time for the remaining folds, and for training the best setting on all
/// images if requested.
void announce_wait(const Context& context, const TuneCommand& command, const ImageSet& images,
                   const Search& search) {
  if (command.session.quiet) return;
  const WaitEstimator estimator(context, images);
  const std::vector<json>& settings = search.job().settings;
  double seconds = 0;
  double longest = 0;
  for (const json& setting : settings) {
    const double fold = fold_wait(estimator, command.pipeline, setting);
    seconds += fold * static_cast<double>(search.folds_left(setting));
    longest = std::max(longest, fold);
  }
  if (context.ranks() != nullptr) seconds /= context.ranks()->size();
  if (!command.model.empty() || !command.report.empty()) seconds += longest;
  announce(command.session,
           fmt::format("trying {} setting{} in {} folds each on", settings.size(),
                       settings.size() == 1 ? "" : "s", command.folds),
           images, seconds);
}

void print_row(const json& row) {
  const std::string setting = setting_text(row["options"]);
  if (row.contains("error")) {
    fmt::print("{:<40} failed: {}\n", setting, printable(row["error"].get<std::string>()));
  } else {
    fmt::print("{:<40} {:6.2f} % ± {:.2f}\n", setting, 100 * row["accuracy"].get<double>(),
               100 * row["deviation"].get<double>());
  }
  flush_output();
}

/// Runs the search with progress and a line per setting.
json searched(const TuneCommand& command, Search& search) {
  SearchHooks hooks;
  hooks.fold = [&](std::size_t setting, int fold) {
    set_progress_prefix(fmt::format("setting {} of {}, fold {} of {}", setting + 1,
                                    search.job().settings.size(), fold + 1, command.folds));
  };
  hooks.row = [&](const json& row) {
    end_progress_line();
    if (!command.session.json) print_row(row);
  };
  json rows = search.run(hooks);
  set_progress_prefix("");
  return rows;
}

/// The settings to search on these images.
std::vector<json> settings_for(const CLI::App& app, const TuneCommand& command,
                               const ImageSet& images) {
  if (!command.grid.empty()) return combinations(command.grid);
  const std::vector<std::string> grid = default_grid(app, command.pipeline, facts_of(images, true));
  if (grid.empty()) {
    tell(
        "nothing to search: no option that {} would try is open and has an effect here; "
        "name others with --grid\n",
        command.pipeline.method);
  }
  return combinations(grid);
}

TuneData labelled_images(const Context& context, const TuneCommand& command) {
  DataOptions options = command.data;
  suit_descriptor(options, command.pipeline);
  const DataSet data = open_images(context, options);
  if (data.train->labels().empty()) {
    throw DataError(
        fmt::format("[tune] {}: tune searches by accuracy and needs labels, but the data has none; "
                    "give a label file with --labels",
                    command.data.path.string()));
  }
  const Index images = command.pipeline.images;
  return {images > 0 ? first_images(data.train, images) : data.train, data.test};
}

/// Reports everything that is wrong regardless of the data.
void check_command(const TuneCommand& command) {
  check_usage([&] { command.pipeline.validate(); });
  if (command.folds < 2)
    throw UsageError(fmt::format("--folds must be at least 2, got {}", command.folds));
  for (const json& setting : combinations(command.grid))
    check_usage([&] { with_setting(command.pipeline, setting); });
  check_target(command.model);
  check_target(command.report);
  check_target(checkpoint_path(command));
}

/// The command that trains with a setting: this command's options, without those of the search.
std::string training_command(const CLI::App& app, const TuneCommand& command, const json& setting) {
  constexpr std::array<std::string_view, 7> kOfTheSearch = {
      "--grid", "--folds", "--output", "--report", "--checkpoint", "--config", "--json"};
  const std::string model = command.model.empty() ? "model.krica" : command.model.string();
  std::string text = fmt::format("krica train {} -o {}", shell_word(command.data.path.string()),
                                 shell_word(model));
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name(false, false);
    const bool left_out =
        option->count() == 0 || !name.starts_with("--") || setting.contains(name.substr(2)) ||
        std::find(kOfTheSearch.begin(), kOfTheSearch.end(), name) != kOfTheSearch.end();
    if (left_out) continue;
    text += " " + name;
    if (option->get_expected_max() == 0) continue;  // a flag
    for (const std::string& value : option->results()) text += " " + shell_word(value);
  }
  for (const auto& [name, value] : setting.items()) {
    text += fmt::format(" --{}", name);
    if (value.is_boolean() && app.get_option("--" + name)->get_expected_max() == 0) continue;
    text += " " + shell_word(value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

/// The best setting, trained on all training images, for the model file and the page.
struct BestModel {
  Model model;
  Trial trial;
};

BestModel train_best(const Context& context, const TuneCommand& command, const TuneData& data,
                     const json& best, const std::filesystem::path& checkpoint) {
  TrainingReport report;
  Model model = train(context, *data.train,
                      {with_setting(command.pipeline, best["options"]), checkpoint}, &report);
  Trial trial = trial_of(model, report, data.train->size());
  if (data.test) add_test(model, model.scores(context, *data.test), *data.test, trial);
  return {std::move(model), std::move(trial)};
}

void write_report(const TuneCommand& command, const TuneData& data, const json& rows,
                  const json& best, const BestModel& trained) {
  ReportPage page = begin_page("krica tune",
                               fmt::format("{}: {} {}.", command.data.path.string(),
                                           data.train->size(), to_text(*data.train)),
                               command.pipeline.seed);
  add_tuning(page, rows, best, command.folds);
  page.add_section("The best setting, trained on all training images");
  if (trained.trial.labels.empty()) {
    page.add_note("There is no test part, so nothing was tested; --test-fraction splits one off.");
  } else {
    page.add_text(
        fmt::format("Test accuracy {:.2f} %.", 100 * trained.trial.evaluation().accuracy));
  }
  add_trial(page, {trained.trial, &trained.model, data.test.get()});
  page.save(command.report);
}

void run_tune(CLI::App& app, const TuneCommand& command) {
  apply_config(app, command.session);
  check_command(command);
  const Context context = make_context(command.session, command.pipeline.seed);
  const std::filesystem::path place = checkpoint_path(command);
  hold_outputs({place, command.model, command.report});
  const TuneData data = labelled_images(context, command);
  keep_for_resume({place, place.string() + ".fold"});
  Search search(context, data.train,
                {command.pipeline, settings_for(app, command, *data.train), command.folds, place});
  announce_wait(context, command, *data.train, search);
  const json rows = searched(command, search);
  const json best = best_of(rows);
  if (!command.model.empty() || !command.report.empty()) {
    const BestModel trained =
        train_best(context, command, data, best, search.checkpoint().fold_path());
    end_progress_line();
    if (!command.model.empty() && is_first_rank()) trained.model.save(command.model);
    if (!command.report.empty() && is_first_rank())
      write_report(command, data, rows, best, trained);
  }
  search.checkpoint().remove();
  const std::string next = training_command(app, command, best["options"]);
  if (command.session.json) {
    return print_json({{"rows", rows},
                       {"best", best},
                       {"folds", command.folds},
                       {"command", next},
                       {"resumed", search.checkpoint().resumed()}});
  }
  fmt::print("best: {} with {:.2f} %; train with it: {}\n", setting_text(best["options"]),
             100 * best["accuracy"].get<double>(), next);
}

}  // namespace

void add_tune(CLI::App& app) {
  auto command = std::make_shared<TuneCommand>();
  CLI::App* sub =
      app.add_subcommand("tune", "Search options by cross-validation on the training images");
  add_data_options(*sub, command->data);
  sub->add_option(
         "--grid", command->grid,
         "NAME=VALUE,VALUE,..., or 'NAME=VALUE;VALUE;...' for values with commas; repeat for more "
         "options, all combinations are tried; default: the method's own parameters that have an "
         "effect")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  sub->add_option("--folds", command->folds, "number of cross-validation folds")
      ->capture_default_str();
  add_path(*sub, "-o,--output", command->model,
           "train the best setting on all training images and write the model");
  add_path(*sub, "--report", command->report,
           "write an HTML page about the search and the best setting's model");
  add_pipeline_options(*sub, command->pipeline);
  add_path(*sub, "--checkpoint", command->checkpoint,
           "file for resuming an interrupted search; default: OUTPUT or REPORT with "
           ".tune-checkpoint appended, or krica.tune-checkpoint")
      ->group("Running");
  add_session_options(*sub, command->session);
  sub->footer(
      "\nAn interrupted search resumes when the same command is rerun.\n"
      "\nExample: krica tune embedded --grid gamma=1,2,3 --components 200 --patches 20000");
  sub->callback([sub, command] { run_tune(*sub, *command); });
}

}  // namespace krica::cli
