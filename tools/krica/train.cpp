// SPDX-License-Identifier: BSD-3-Clause
//
// krica train: basis, features and classifier. krica fit: the basis only.
#include <fmt/format.h>

#include "commands.hpp"
#include "evaluation_text.hpp"
#include "krica/bases/basis.hpp"
#include "krica/models/training.hpp"
#include "krica/report/trial_report.hpp"
#include "krica/runtime/error.hpp"
#include "run_report.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

struct TrainCommand {
  SessionOptions session;
  DataOptions data;
  PipelineOptions pipeline;
  std::filesystem::path model;
  std::filesystem::path checkpoint;
  std::filesystem::path report;
  bool classifier = true;
};

std::string method_list() {
  std::string text = "\nMethods (--method):\n";
  for (const BasisMethod& method : basis_methods())
    text += fmt::format("  {:<20}{}\n", method.name, method.summary);
  return text;
}

ImageSetPtr training_images(const TrainCommand& command, const DataSet& data) {
  ImageSetPtr images = !command.classifier && data.unlabelled ? data.unlabelled : data.train;
  if (command.pipeline.images > 0) images = first_images(images, command.pipeline.images);
  return images;
}

nlohmann::json summary_json(const Model& model, const TrainingReport& report,
                            const std::filesystem::path& path) {
  nlohmann::json summary = {{"model", path.string()},
                            {"options", nlohmann::json::parse(to_json(model.options()))},
                            {"basis_status", model.parts().basis_status},
                            {"features", model.n_features()},
                            {"seconds", stage_times_json(report.stages)},
                            {"resumed", report.resumed}};
  nlohmann::json tried = nlohmann::json::array();
  for (const auto& [C, accuracy] : report.chosen_c.tried)
    tried.push_back({{"c", C}, {"accuracy", accuracy}});
  summary["svm_c_tried"] = tried;
  summary["held_out_accuracy"] = report.held_out_accuracy;
  if (!report.warning.empty()) summary["warning"] = report.warning;
  return summary;
}

void print_summary(const Model& model, const TrainingReport& report,
                   const std::filesystem::path& path) {
  const PipelineOptions& options = model.options();
  fmt::print("{}: {}", path.string(), options.method);
  if (basis_method(options.method).learn != nullptr) {
    fmt::print(" with {} atoms", options.components);
    if (options.gamma && has_effect(options, "gamma")) fmt::print(", gamma {:.4g}", *options.gamma);
    fmt::print(", basis {}", model.parts().basis_status);
  }
  if (options.svm_c) fmt::print(", C {:.4g}", *options.svm_c);
  fmt::print("\n{}{}\n", report.resumed ? "resumed; " : "", stage_times(report.stages));
}

/// Images or samples a class from which on learning with the labels has been worth its time.
constexpr Index kImagesAClass = 100;

/// What else the user might try, or nothing.
std::string suggestion(const PipelineOptions& options, const ImageSet& images) {
  if (basis_method(options.method).joint || images.size() < kImagesAClass * images.classes())
    return {};
  return fmt::format(
      "with {} labelled {} of {} classes --method max-margin-krica should do better: it learns "
      "the atoms with the classifier (docs/methods.md)",
      images.size(), noun_of(images.shape()), images.classes());
}

void write_report(const TrainCommand& command, const Model& model, const Trial& trial,
                  const DataSet& data) {
  ReportPage page = begin_page(fmt::format("krica train: {}", model.options().method),
                               fmt::format("{}: {} {}.", command.data.path.string(),
                                           trial.train_images, to_text(model.shape())),
                               command.pipeline.seed);
  if (trial.labels.empty()) {
    page.add_note("There is no test part, so nothing was tested; --test-fraction splits one off.");
  } else {
    add_accuracy_table(page, {{model.options().method, model, trial}});
  }
  page.add_section("The model");
  add_trial(page, {trial, &model, data.test.get()});
  page.save(command.report);
}

void run_train(CLI::App& app, TrainCommand& command) {
  apply_config(app, command.session);
  check_usage([&] { command.pipeline.validate(); });
  check_target(command.model);
  check_target(command.report);
  const Context context = make_context(command.session, command.pipeline.seed);
  const DataSet data = open_images(context, command.data);
  if (command.checkpoint.empty()) command.checkpoint = command.model.string() + ".checkpoint";
  set_resume_hint(fmt::format("interrupted; {} is kept: the same command goes on from there",
                              command.checkpoint.string()));
  const ImageSetPtr images = training_images(command, data);
  TrainingReport report;
  const Model model =
      train(context, *images, {command.pipeline, command.checkpoint, command.classifier}, &report);
  model.save(command.model);
  remove_checkpoint(command.checkpoint);
  set_resume_hint(fmt::format("interrupted; {} is saved", command.model.string()));
  end_progress_line();
  nlohmann::json summary = summary_json(model, report, command.model);
  if (!command.session.json) print_summary(model, report, command.model);
  if (!report.warning.empty()) fmt::print(stderr, "{}\n", report.warning);
  Trial trial = trial_of(model, report, images->size());
  if (command.classifier && data.test) {
    add_test(model, model.scores(context, *data.test), *data.test, trial);
    const Evaluation evaluation = trial.evaluation();
    end_progress_line();
    summary["test"] = to_json(evaluation, model.class_names());
    if (!command.session.json) {
      fmt::print("test accuracy {:.2f} % on {} {}\n", 100 * evaluation.accuracy, data.test->size(),
                 noun_of(data.test->shape()));
    }
  }
  if (!command.report.empty()) write_report(command, model, trial, data);
  const std::string hint = command.classifier ? suggestion(command.pipeline, *images) : "";
  if (!hint.empty()) summary["suggestion"] = hint;
  if (!hint.empty() && !command.session.json) fmt::print("{}\n", hint);
  if (command.session.json) print_json(summary);
}

void add_command(CLI::App& app, const char* name, const char* help, bool classifier) {
  auto command = std::make_shared<TrainCommand>();
  command->classifier = classifier;
  CLI::App* sub = app.add_subcommand(name, help);
  add_data_options(*sub, command->data);
  add_path(*sub, "-o,--output", command->model, "the model file")->required();
  add_pipeline_options(*sub, command->pipeline);
  add_path(*sub, "--checkpoint", command->checkpoint,
           "where progress is kept; default MODEL.checkpoint")
      ->group("Running");
  if (classifier)
    add_path(*sub, "--report", command->report, "write a page about it, an HTML file");
  add_session_options(*sub, command->session);
  sub->footer(method_list() +
              fmt::format("\nExample: krica {} embedded -o clothes.krica --components 400", name));
  sub->callback([sub, command] { run_train(*sub, *command); });
}

}  // namespace

void add_train(CLI::App& app) {
  add_command(app, "train",
              "Learn a basis, features and a classifier from labelled images or samples", true);
}

void add_fit(CLI::App& app) {
  add_command(app, "fit", "Learn a basis only, from images or an .npy of samples, without labels",
              false);
}

}  // namespace krica::cli
