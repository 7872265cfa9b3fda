// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>

#include "commands.hpp"
#include "krica/classify/splits.hpp"
#include "krica/models/training.hpp"
#include "krica/runtime/error.hpp"
#include "run_report.hpp"
#include "session.hpp"
#include "tune_grid.hpp"

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
};

struct Score {
  double mean = 0;
  double deviation = 0;
};

Score cross_validate(const Context& context, const ImageSetPtr& images,
                     const PipelineOptions& options, int folds) {
  const std::vector<int> fold_of = stratified_folds(context, images->labels(), folds, "tune.folds");
  std::vector<double> accuracies;
  for (int fold = 0; fold < folds; ++fold) {
    std::vector<Index> inside;
    std::vector<Index> outside;
    for (std::size_t i = 0; i < fold_of.size(); ++i) {
      (fold_of[i] == fold ? outside : inside).push_back(static_cast<Index>(i));
    }
    const Model model = train(context, *subset(images, inside), {options});
    const ImageSetPtr held = subset(images, outside);
    accuracies.push_back(accuracy_of(model.predict(context, *held), held->labels()));
  }
  Score score;
  for (const double accuracy : accuracies) score.mean += accuracy / folds;
  for (const double accuracy : accuracies)
    score.deviation += (accuracy - score.mean) * (accuracy - score.mean);
  score.deviation = std::sqrt(score.deviation / (folds - 1));
  return score;
}

/// What is to be searched on these images.
std::vector<json> settings_for(const CLI::App& app, const TuneCommand& command,
                               const ImageSet& images) {
  if (!command.grid.empty()) return combinations(command.grid);
  const std::vector<std::string> grid = default_grid(app, command.pipeline, facts_of(images, true));
  if (grid.empty()) {
    fmt::print(stderr,
               "nothing to search: the options and the data settle all that {} would try; name "
               "others with --grid\n",
               command.pipeline.method);
  }
  return combinations(grid);
}

ImageSetPtr labelled_images(const Context& context, const TuneCommand& command) {
  ImageSetPtr images = open_images(context, command.data).train;
  if (images->labels().empty()) {
    throw DataError(
        fmt::format("[tune] {}: tune searches by accuracy and needs labels, which the "
                    "data does not have; --labels names those of a file",
                    command.data.path.string()));
  }
  return command.pipeline.images > 0 ? first_images(images, command.pipeline.images) : images;
}

void write_report(const TuneCommand& command, const ImageSet& images, const json& rows,
                  const json& best) {
  ReportPage page = begin_page(
      "krica tune",
      fmt::format("{}: {} {}.", command.data.path.string(), images.size(), to_text(images.shape())),
      command.pipeline.seed);
  add_tuning(page, rows, best, command.folds);
  page.save(command.report);
}

/// All that is wrong whatever the data are.
void check_command(const TuneCommand& command) {
  check_usage([&] { command.pipeline.validate(); });
  if (command.folds < 2)
    throw UsageError(fmt::format("--folds must be at least 2, got {}", command.folds));
  for (const json& setting : combinations(command.grid)) with_setting(command.pipeline, setting);
  check_target(command.model);
  check_target(command.report);
}

/// One row. A setting that the method refuses on these images, as more components than there are
/// directions, does not end the search: the row tells why.
json tried(const Context& context, const ImageSetPtr& images, const TuneCommand& command,
           const json& setting) {
  try {
    const Score score =
        cross_validate(context, images, with_setting(command.pipeline, setting), command.folds);
    return {{"options", setting}, {"accuracy", score.mean}, {"deviation", score.deviation}};
  } catch (const InvalidArgument& error) {
    return {{"options", setting}, {"error", error.what()}};
  }
}

void print_row(const json& row) {
  const std::string setting = setting_text(row["options"]);
  if (row.contains("error")) {
    fmt::print("{:<40} failed: {}\n", setting, row["error"].get<std::string>());
  } else {
    fmt::print("{:<40} {:6.2f} % ± {:.2f}\n", setting, 100 * row["accuracy"].get<double>(),
               100 * row["deviation"].get<double>());
  }
}

/// The first of the most accurate. Throws InvalidArgument where all failed.
json best_of(const json& rows) {
  json best;
  for (const json& row : rows) {
    if (row.contains("error")) continue;
    if (best.is_null() || row["accuracy"].get<double>() > best["accuracy"].get<double>())
      best = row;
  }
  if (best.is_null()) throw InvalidArgument(rows.front()["error"].get<std::string>());
  return best;
}

void run_tune(CLI::App& app, const TuneCommand& command) {
  apply_config(app, command.session);
  check_command(command);
  const Context context = make_context(command.session, command.pipeline.seed);
  const ImageSetPtr images = labelled_images(context, command);
  json rows = json::array();
  for (const json& setting : settings_for(app, command, *images)) {
    rows.push_back(tried(context, images, command, setting));
    end_progress_line();
    if (!command.session.json) print_row(rows.back());
  }
  const json best = best_of(rows);
  if (!command.session.json) fmt::print("best: {}\n", setting_text(best["options"]));
  if (!command.model.empty())
    train(context, *images, {with_setting(command.pipeline, best["options"])}).save(command.model);
  end_progress_line();
  if (!command.report.empty()) write_report(command, *images, rows, best);
  if (command.session.json) print_json({{"rows", rows}, {"best", best}, {"folds", command.folds}});
}

}  // namespace

void add_tune(CLI::App& app) {
  auto command = std::make_shared<TuneCommand>();
  CLI::App* sub =
      app.add_subcommand("tune", "Search options by cross-validation on the training images");
  add_data_options(*sub, command->data);
  sub->add_option(
         "--grid", command->grid,
         "NAME=VALUE,VALUE,...; repeat for more options, all combinations are tried; default: "
         "the method's own parameters that have an effect")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  sub->add_option("--folds", command->folds, "number of cross-validation folds")
      ->capture_default_str();
  add_path(*sub, "-o,--output", command->model,
           "model file to write, trained with the best setting on all training images");
  add_path(*sub, "--report", command->report, "write an HTML report");
  add_pipeline_options(*sub, command->pipeline);
  add_session_options(*sub, command->session);
  sub->footer("\nExample: krica tune embedded --grid gamma=2,3,4 --components 200 --patches 20000");
  sub->callback([sub, command] { run_tune(*sub, *command); });
}

}  // namespace krica::cli
