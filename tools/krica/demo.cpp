// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "commands.hpp"
#include "evaluation_text.hpp"
#include "krica/models/training.hpp"
#include "models/votes.hpp"
#include "report/atoms.hpp"
#include "report/trial_report.hpp"
#include "run_report.hpp"
#include "session.hpp"
#include "waiting.hpp"

namespace krica::cli {
namespace {

constexpr std::array kDemoMethods = {"raw-pixels", "random-patches", "krica", "max-margin-krica"};

struct DemoCommand {
  SessionOptions session;
  std::filesystem::path report = "report.html";
  std::uint64_t seed = 0;
};

struct DemoRun {
  std::string method;
  Model model;
  Trial trial;
};

PipelineOptions demo_options(const std::string& method, std::uint64_t seed) {
  PipelineOptions options;
  options.method = method;
  options.basis.components = 400;
  options.descriptor.patches = 40000;
  options.basis.iterations = 40;
  options.seed = seed;
  options.max_margin.refit = true;  // the same classifier for all
  return options;
}

DemoRun run_method(const Context& context, const DataSet& data, const std::string& method) {
  TrainingReport report;
  Model model = train(context, *data.train, {demo_options(method, context.seed())}, &report);
  Trial trial = trial_of(model, report, data.train->size());
  add_test(model, model.scores(context, *data.test), *data.test, trial);
  end_progress_line();
  return {method, std::move(model), std::move(trial)};
}

/// The most accurate run; its atoms open the page.
const DemoRun& best_of(const std::vector<DemoRun>& runs) {
  return *std::max_element(runs.begin(), runs.end(), [](const DemoRun& a, const DemoRun& b) {
    return a.trial.evaluation().accuracy < b.trial.evaluation().accuracy;
  });
}

ReportPage page_of(const std::vector<DemoRun>& runs, const DataSet& data, std::uint64_t seed) {
  ReportPage page = begin_page(
      "krica demo: 2,000 images of clothing",
      "A class-balanced subset of Fashion-MNIST: 2,000 training and 1,000 test images. "
      "random-patches is the control: a basis of randomly chosen patches with a Gaussian code, the "
      "same pooling and the same classifier.",
      seed);
  std::vector<TestedRun> tested;
  tested.reserve(runs.size());
  for (const DemoRun& run : runs) tested.push_back({run.method, run.model, run.trial});
  add_accuracy_table(page, tested);
  const DemoRun& best = best_of(runs);
  page.add_section(fmt::format("The best model: {}", best.method));
  add_trial(page, {best.trial, &best.model, data.test.get()});
  page.add_section("The other methods");
  for (const DemoRun& run : runs) {
    if (&run == &best) continue;
    page.begin_fold(run.method);
    add_trial(page, {run.trial, &run.model, data.test.get(), true});
    page.end_fold();
  }
  return page;
}

void announce_demo(const Context& context, const SessionOptions& session, const DataSet& data) {
  if (session.quiet) return;
  const WaitEstimator images(context, *data.train);
  const WaitEstimator test(context, *data.test);
  double seconds = 0;
  for (const char* method : kDemoMethods) {
    const PipelineOptions settled =
        resolved(demo_options(method, context.seed()), facts_of(*data.train, true));
    seconds += images.training(settled).seconds() + test.encoding(settled);
  }
  announce(session, fmt::format("comparing {} methods on", kDemoMethods.size()), *data.train,
           seconds);
}

void run_demo(CLI::App& app, DemoCommand& command) {
  apply_config(app, command.session);
  std::filesystem::path picture = command.report;
  picture.replace_extension(".png");
  check_target(command.report);
  check_target(picture);
  const Context context = make_context(command.session, command.seed);
  const DataSet data = embedded_dataset();
  announce_demo(context, command.session, data);
  std::vector<DemoRun> runs;
  for (const char* method : kDemoMethods) {
    runs.push_back(run_method(context, data, method));
    const DemoRun& run = runs.back();
    if (command.session.json) continue;
    fmt::print("{:<18} {:6.2f} % test accuracy   ({})\n", run.method,
               100 * run.trial.evaluation().accuracy, stage_times(run.trial.stages));
    flush_output();
  }
  const Model& learned = runs.back().model;
  const Image atoms =
      draw_atom_groups(learned.atom_images(), *learned.options().descriptor.receptive_field,
                       learned.shape().channels, atoms_by_class(learned));
  write_png(picture, atoms);
  page_of(runs, data, command.seed).save(command.report);
  if (!command.session.json) {
    fmt::print("\natoms: {}   report: {}\n", picture.string(), command.report.string());
    return;
  }
  nlohmann::json result = {{"picture", picture.string()}, {"report", command.report.string()}};
  for (const DemoRun& run : runs) {
    result["methods"].push_back({{"method", run.method},
                                 {"accuracy", run.trial.evaluation().accuracy},
                                 {"seconds", stage_times_json(run.trial.stages)}});
  }
  print_json(result);
}

}  // namespace

void add_demo(CLI::App& app) {
  auto command = std::make_shared<DemoCommand>();
  CLI::App* sub = app.add_subcommand(
      "demo", "Train on the built-in images, compare with baselines and write a report");
  add_path(*sub, "-o,--output", command->report,
           "HTML report to write; the picture of the atoms is written next to it as .png")
      ->capture_default_str();
  sub->add_option("--seed", command->seed, "seed of every random choice")->capture_default_str();
  add_session_options(*sub, command->session);
  sub->footer("\nExample: krica demo -o report.html");
  sub->callback([sub, command] { run_demo(*sub, *command); });
}

}  // namespace krica::cli
