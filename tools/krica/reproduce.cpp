// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands.hpp"
#include "experiments/runner.hpp"
#include "experiments/summary.hpp"
#include "krica/runtime/error.hpp"
#include "krica/runtime/words.hpp"
#include "one_of.hpp"
#include "report/experiment_report.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/printable.hpp"
#include "runtime/ranks.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

struct ReproduceCommand {
  SessionOptions session;
  ExperimentRequest request;
  std::string experiment;
  std::string size = "full";
  bool quick = false;
  bool retry_failed = false;
  std::string systems;
  std::filesystem::path output;
};

std::vector<const Experiment*> chosen_experiments(const std::string& name) {
  std::vector<const Experiment*> chosen;
  if (name != "all") return {&experiment(name)};
  for (const Experiment& each : experiments())
    if (each.in_paper()) chosen.push_back(&each);
  return chosen;
}

bool is_prime(Index number) {
  for (Index divisor = 2; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) return false;
  return number > 1;
}

void check(const ReproduceCommand& command) {
  const ExperimentRequest& request = command.request;
  if (request.size == ExperimentSize::kFull && request.data.empty()) {
    throw UsageError(
        "full size needs images: give --data DIR (`krica data get` downloads the paper's), or use "
        "--quick, which needs no data");
  }
  if (request.as_printed && command.experiment != "all" &&
      !experiment(command.experiment).in_paper()) {
    throw UsageError(fmt::format("--as-printed is for the paper's tables and figures; {} is none",
                                 command.experiment));
  }
  if (request.as_printed && is_prime(request.components)) {
    throw UsageError(fmt::format(
        "--as-printed arranges atoms on a grid, so --components must not be prime, got {}; use {}",
        request.components, std::max<Index>(4, request.components + 1)));
  }
  if (request.components < 0 || request.image_size < 0 || request.rounds < 0)
    throw UsageError("--components, --image-size and --rounds must be positive");
}

void print_row(const ResultRow& row) {
  end_progress_line();
  const RowIdentity& identity = row.identity;
  std::string what = fmt::format("{}: {}", identity.experiment, identity.system);
  if (!std::isnan(identity.value)) what += fmt::format(" at {:g}", identity.value);
  if (!identity.group.empty()) what += fmt::format(", {}", identity.group);
  what += fmt::format(", {}", identity.split);
  if (row.failed()) {
    fmt::print("{:<64} failed: {}\n", what, printable(row.error));
  } else {
    double seconds = 0;
    for (const StageTime& stage : row.trial.stages) seconds += stage.seconds;
    fmt::print("{:<64} {:6.2f} %  {:6.1f} s\n", what, 100 * row.trial.evaluation().accuracy,
               seconds);
  }
  flush_output();
}

void print_table(const ResultTable& table) {
  if (!table.title.empty()) fmt::print("\n{}\n", table.title);
  if (table.beside_paper) {
    fmt::print("\n{:<42} {:>7}  {:>15}  {:>10}\n", "system", "paper", "ours", "difference");
  } else {
    fmt::print("\n{:<42} {:>15}\n", "system", "accuracy (%)");
  }
  for (const TableLine& line : table.lines) {
    const std::string paper = line.paper ? fmt::format("{:.1f}", *line.paper) : "-";
    const std::string ours = line.ours ? to_text(*line.ours) : "-";
    if (!table.beside_paper) {
      fmt::print("{:<42} {:>15}  {}\n", line.system, ours, line.note);
      continue;
    }
    const std::string difference =
        line.paper && line.ours ? fmt::format("{:+.2f}", line.ours->mean - *line.paper) : "-";
    fmt::print("{:<42} {:>7}  {:>15}  {:>10}  {}\n", line.system, paper, ours, difference,
               line.note);
  }
}

void print_curves(const PlannedExperiment& planned, const ResultsFile& results) {
  for (const Curve& curve : curves_of(planned, results)) {
    fmt::print("{:<28}", curve.system);
    if (curve.level) fmt::print("  {}", to_text(*curve.level));
    for (const CurvePoint& point : curve.points) {
      fmt::print("  {:g}: {}{}", point.value, to_text(point.score),
                 &point == curve.chosen() ? " (chosen)" : "");
    }
    fmt::print("\n");
  }
}

void print_similarity(const PlannedExperiment& planned, const ResultsFile& results) {
  for (const Configuration& configuration : planned.plan.configurations) {
    for (const ResultRow* row : rows_of(results, planned, configuration)) {
      fmt::print("{:<28} {}\n", configuration.system,
                 row->failed() ? fmt::format("failed: {}", printable(row->error))
                               : fmt::format("block score {:.4f}", row->block_score));
    }
  }
}

void print_summary(const PlannedExperiment& planned, const ResultsFile& results) {
  fmt::print("\n{}\n{}\n", planned.title(), printable(planned.data.name));
  for (const auto* notes : {&planned.data.notes, &planned.plan.notes}) {
    for (const std::string& note : *notes)
      if (!note.empty()) fmt::print("note: {}\n", printable(note));
  }
  switch (planned.experiment->kind) {
    case ExperimentKind::kTable:
      for (const ResultTable& table : tables_of(planned, results)) print_table(table);
      break;
    case ExperimentKind::kSweep:
      print_curves(planned, results);
      break;
    case ExperimentKind::kSimilarity:
      print_similarity(planned, results);
      break;
  }
}

/// Of several ranks the first prepares the file, and then all read it.
ResultsFile opened_results(const Context& context, const ReproduceCommand& command) {
  const std::filesystem::path path = command.output / "results.jsonl";
  on_first_rank(context, [&] {
    create_directories_durably(command.output);
    hold_outputs({path, command.output / "report.html"});
    ResultsFile results(path);
    if (command.retry_failed) results.forget_failures();
  });
  return ResultsFile(path);
}

void run_reproduce(CLI::App& app, ReproduceCommand& command) {
  apply_config(app, command.session);
  check_usage([&] {
    command.request.size = command.quick ? ExperimentSize::kQuick : experiment_size(command.size);
    chosen_experiments(command.experiment);
  });
  check(command);
  check_target_directory(command.output);
  if (std::filesystem::is_directory(command.output)) {
    for (const char* file : {"results.jsonl", "report.html"}) check_target(command.output / file);
  }
  const Context context = make_context(command.session, command.request.seed);
  keep_for_resume({command.output / "results.jsonl", command.output / "checkpoints"});
  std::vector<PlannedExperiment> planned;
  for (const Experiment* each : chosen_experiments(command.experiment))
    planned.push_back(plan_experiment(context, *each, command.request));
  if (!command.systems.empty()) check_usage([&] { choose_systems(command.systems, planned); });
  ResultsFile results = opened_results(context, command);
  Index failures = 0;
  for (const PlannedExperiment& each : planned) {
    run_experiment(context, each, command.output, results, [&](const ResultRow& row) {
      if (row.failed()) ++failures;
      if (!command.session.json) print_row(row);
    });
  }
  end_progress_line();
  if (!is_first_rank()) return;
  const std::filesystem::path page = command.output / "report.html";
  experiment_report(planned, results, command.output, command_line()).save(page);
  if (command.session.json) {
    print_json({{"results", (command.output / "results.jsonl").string()},
                {"report", page.string()},
                {"rows", results.rows().size()},
                {"failed", failures}});
    return;
  }
  for (const PlannedExperiment& each : planned) print_summary(each, results);
  fmt::print("\nreport: {}   results: {}\n", page.string(),
             (command.output / "results.jsonl").string());
}

std::string experiment_list() {
  std::string text = "\nExperiments:\n";
  for (const Experiment& each : experiments())
    text += fmt::format("  {:<12}{}\n", each.name, each.summary);
  return text + "  all         all of the paper's\n";
}

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const Experiment& each : experiments()) names.emplace_back(each.name);
  names.emplace_back("all");
  return names;
}

}  // namespace

void add_reproduce(CLI::App& app) {
  auto command = std::make_shared<ReproduceCommand>();
  CLI::App* sub = app.add_subcommand(
      "reproduce",
      "Run a table or figure of the paper, or a comparison, and write the results and a report");
  sub->add_option("EXPERIMENT", command->experiment, "experiment to run, or all")
      ->check(one_of(experiment_names()))
      ->required();
  add_path(
      *sub, "--data", command->request.data,
      "the experiment's data set, or a directory that contains it under its name; 'embedded' for "
      "the built-in images, the default for quick and smoke");
  add_path(*sub, "-o,--output", command->output, "directory for results.jsonl and report.html")
      ->required();
  sub->add_option("--size", command->size,
                  "full: the paper's images and sizes; quick: minutes, on a subset of the images; "
                  "smoke: seconds, a "
                  "check that everything runs")
      ->check(one_of(all_names<ExperimentSize>()))
      ->capture_default_str();
  sub->add_flag("--quick", command->quick, "same as --size quick");
  sub->add_option("--components", command->request.components,
                  "number of atoms; 0 is the experiment's default")
      ->capture_default_str();
  sub->add_option("--image-size", command->request.image_size,
                  "resize images to SIZE x SIZE; 0 is the experiment's default")
      ->capture_default_str();
  sub->add_option(
         "--rounds", command->request.rounds,
         "random splits (caltech101), seeds (cifar10), either (comparison) or folds (others); 0 is "
         "the experiment's default")
      ->capture_default_str();
  sub->add_option("--seed", command->request.seed, "seed of every random choice")
      ->capture_default_str();
  sub->add_option("--systems", command->systems,
                  "only these systems, separated by commas: names of the table or methods");
  sub->add_flag("--as-printed", command->request.as_printed,
                "the settings that the paper prints instead of this library's defaults: its "
                "weights, L2 pooling in the sparsity term, L-BFGS and the fixed point");
  sub->add_flag("--retry-failed", command->retry_failed, "recompute rows that failed before");
  add_session_options(*sub, command->session);
  sub->footer(experiment_list() + "\nExample: krica reproduce all --quick -o results");
  sub->callback([sub, command] { run_reproduce(*sub, *command); });
}

}  // namespace krica::cli
