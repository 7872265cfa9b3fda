// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands.hpp"
#include "krica/bases/basis.hpp"
#include "krica/classify/splits.hpp"
#include "krica/models/training.hpp"
#include "krica/runtime/error.hpp"
#include "run_report.hpp"
#include "session.hpp"

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

/// One option and the values to try.
struct Axis {
  std::string name;
  std::vector<json> values;
};

json parsed_value(const std::string& text) {
  const json number = json::parse(text, nullptr, false);
  return number.is_discarded() || number.is_structured() ? json(text) : number;
}

Axis parse_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) {
    throw UsageError(fmt::format("--grid must be NAME=VALUE,VALUE,..., got '{}'", text));
  }
  Axis axis{text.substr(0, equals), {}};
  for (const std::string& value : CLI::detail::split(text.substr(equals + 1), ',')) {
    axis.values.push_back(parsed_value(value));
  }
  return axis;
}

/// All combinations of the axes' values, each as the options that it sets.
std::vector<json> combinations(const std::vector<std::string>& grid) {
  std::vector<json> settings = {json::object()};
  for (const std::string& text : grid) {
    const Axis axis = parse_axis(text);
    std::vector<json> longer;
    for (const json& setting : settings) {
      for (const json& value : axis.values) {
        longer.push_back(setting);
        longer.back()[axis.name] = value;
      }
    }
    settings = std::move(longer);
  }
  return settings;
}

/// The method's own grid, without what the command line settles.
std::vector<std::string> default_grid(const CLI::App& app, const std::string& method) {
  std::vector<std::string> grid;
  for (const std::string& axis : CLI::detail::split(std::string(basis_method(method).grid), ' ')) {
    if (axis.empty()) continue;
    if (app.count("--" + axis.substr(0, axis.find('='))) == 0) grid.push_back(axis);
  }
  return grid;
}

PipelineOptions with_setting(const PipelineOptions& base, const json& setting) {
  json all = json::parse(to_json(base));
  for (const auto& [name, value] : setting.items()) {
    if (!all.contains(name)) throw UsageError(fmt::format("--grid: there is no option '{}'", name));
    all[name] = value;
  }
  try {
    PipelineOptions options = options_from_json(all.dump());
    options.validate();
    return options;
  } catch (const DataError& error) {
    throw UsageError(fmt::format("--grid: {}", error.what()));
  } catch (const InvalidArgument& error) {
    throw UsageError(fmt::format("--grid: {}", error.what()));
  }
}

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

void run_tune(CLI::App& app, TuneCommand& command) {
  apply_config(app, command.session);
  check_usage([&] { command.pipeline.validate(); });
  if (command.folds < 2)
    throw UsageError(fmt::format("--folds must be at least 2, got {}", command.folds));
  if (command.grid.empty()) command.grid = default_grid(app, command.pipeline.method);
  const std::vector<json> settings = combinations(command.grid);
  for (const json& setting : settings) with_setting(command.pipeline, setting);  // before any work
  const Context context = make_context(command.session, command.pipeline.seed);
  const DataSet data = open_images(context, command.data);
  ImageSetPtr images = data.train;
  if (command.pipeline.images > 0) images = first_images(images, command.pipeline.images);
  json rows = json::array();
  json best;
  for (const json& setting : settings) {
    const Score score =
        cross_validate(context, images, with_setting(command.pipeline, setting), command.folds);
    end_progress_line();
    rows.push_back(
        {{"options", setting}, {"accuracy", score.mean}, {"deviation", score.deviation}});
    if (!command.session.json) {
      fmt::print("{:<40} {:6.2f} % ± {:.2f}\n", setting_text(setting), 100 * score.mean,
                 100 * score.deviation);
    }
    if (best.is_null() || score.mean > best["accuracy"].get<double>()) best = rows.back();
  }
  if (!command.session.json) fmt::print("best: {}\n", setting_text(best["options"]));
  if (!command.model.empty())
    train(context, *images, {with_setting(command.pipeline, best["options"])}).save(command.model);
  end_progress_line();
  if (!command.report.empty()) {
    ReportPage page = begin_page("krica tune",
                                 fmt::format("{}: {} {}.", command.data.path.string(),
                                             images->size(), to_text(images->shape())),
                                 command.pipeline.seed);
    add_tuning(page, rows, best, command.folds);
    page.save(command.report);
  }
  if (command.session.json) print_json({{"rows", rows}, {"best", best}, {"folds", command.folds}});
}

}  // namespace

void add_tune(CLI::App& app) {
  auto command = std::make_shared<TuneCommand>();
  CLI::App* sub =
      app.add_subcommand("tune", "Search options by cross-validation on the training images");
  add_data_options(*sub, command->data);
  sub->add_option("--grid", command->grid,
                  "NAME=VALUE,VALUE,...; may be given again, all combinations are tried; default: "
                  "the method's own parameters")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  sub->add_option("--folds", command->folds, "folds of the cross-validation")
      ->capture_default_str();
  add_path(*sub, "-o,--output", command->model,
           "train the best on all training images and write the model");
  add_path(*sub, "--report", command->report, "write a page about it, an HTML file");
  add_pipeline_options(*sub, command->pipeline);
  add_session_options(*sub, command->session);
  sub->footer("\nExample: krica tune embedded --grid gamma=2,3,4 --components 200 --patches 20000");
  sub->callback([sub, command] { run_tune(*sub, *command); });
}

}  // namespace krica::cli
