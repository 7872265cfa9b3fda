// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "commands.hpp"
#include "evaluation_text.hpp"
#include "krica/models/training.hpp"
#include "krica/models/votes.hpp"
#include "krica/report/atoms.hpp"
#include "krica/report/page.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

struct DemoCommand {
  SessionOptions session;
  std::filesystem::path report = "report.html";
  std::uint64_t seed = 0;
};

struct Trial {
  std::string method;
  TrainingReport report;
  Evaluation evaluation;
  Model model;
};

PipelineOptions demo_options(const std::string& method, std::uint64_t seed) {
  PipelineOptions options;
  options.method = method;
  options.components = 400;
  options.patches = 40000;
  options.iterations = 40;
  options.seed = seed;
  options.refit = true;  // the same classifier for all
  return options;
}

Trial run_trial(const Context& context, const DataSet& data, const std::string& method) {
  TrainingReport report;
  Model model = train(context, *data.train, {demo_options(method, context.seed())}, &report);
  const Evaluation evaluation = evaluate_predictions(model.predict(context, *data.test),
                                                     data.test->labels(), data.test->classes());
  end_progress_line();
  return {method, report, evaluation, std::move(model)};
}

ReportPage page_of(const std::vector<Trial>& trials, const std::filesystem::path& picture,
                   const Image& atoms) {
  ReportPage page("krica demo: 2,000 images of clothing");
  std::vector<std::vector<std::string>> rows = {{"method", "test accuracy", "time"}};
  for (const Trial& trial : trials) {
    double seconds = 0;
    for (const StageTime& stage : trial.report.stages) seconds += stage.seconds;
    rows.push_back({trial.method, fmt::format("{:.1f} %", 100 * trial.evaluation.accuracy),
                    fmt::format("{:.1f} s", seconds)});
  }
  page.add_text(
      "A balanced part of Fashion-MNIST: 2,000 images to learn from, 1,000 to test on. "
      "random-patches is the "
      "control: what a basis of randomly chosen patches gives with the same code, pooling and "
      "classifier.");
  page.add_table(rows);
  page.add_picture(
      fmt::format("The {} atoms that max-margin kRICA learned, by the class they vote for ({})",
                  trials.back().model.options().components, picture.filename().string()),
      atoms);
  return page;
}

void run_demo(CLI::App& app, DemoCommand& command) {
  apply_config(app, command.session);
  const Context context = make_context(command.session, command.seed);
  const DataSet data = embedded_dataset();
  std::vector<Trial> trials;
  for (const char* method : {"raw-pixels", "random-patches", "krica", "max-margin-krica"}) {
    trials.push_back(run_trial(context, data, method));
    const Trial& trial = trials.back();
    if (command.session.json) continue;
    fmt::print("{:<18} {:6.2f} % test accuracy   ({})\n", trial.method,
               100 * trial.evaluation.accuracy, stage_times(trial.report.stages));
    std::fflush(stdout);
  }
  std::filesystem::path picture = command.report;
  picture.replace_extension(".png");
  const Model& learned = trials.back().model;
  const Image atoms = draw_atom_groups(learned.atom_images(), learned.options().receptive_field,
                                       learned.shape().channels, atoms_by_class(learned));
  write_png(picture, atoms);
  page_of(trials, picture, atoms).save(command.report);
  if (!command.session.json) {
    fmt::print("\nThe atoms: {}   The page: {}\n", picture.string(), command.report.string());
    return;
  }
  nlohmann::json result = {{"picture", picture.string()}, {"report", command.report.string()}};
  for (const Trial& trial : trials) {
    result["methods"].push_back({{"method", trial.method},
                                 {"accuracy", trial.evaluation.accuracy},
                                 {"seconds", stage_times_json(trial.report.stages)}});
  }
  print_json(result);
}

}  // namespace

void add_demo(CLI::App& app) {
  auto command = std::make_shared<DemoCommand>();
  CLI::App* sub = app.add_subcommand(
      "demo", "Train on the built-in images, compare with the controls, write a page");
  add_path(*sub, "-o,--output", command->report,
           "the HTML page; the picture of the atoms goes beside it")
      ->capture_default_str();
  sub->add_option("--seed", command->seed, "of every random choice")->capture_default_str();
  add_session_options(*sub, command->session);
  sub->footer("\nExample: krica demo -o report.html");
  sub->callback([sub, command] { run_demo(*sub, *command); });
}

}  // namespace krica::cli
