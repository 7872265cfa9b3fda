// SPDX-License-Identifier: BSD-3-Clause
//
// krica train: basis, features and classifier. krica fit: only the basis.
#include <fmt/format.h>

#include <utility>

#include "commands.hpp"
#include "evaluation_text.hpp"
#include "krica/bases/basis.hpp"
#include "krica/data/dataset.hpp"
#include "krica/models/training.hpp"
#include "krica/runtime/error.hpp"
#include "models/model_parts.hpp"
#include "models/recommendation.hpp"
#include "models/resolved.hpp"
#include "one_of.hpp"
#include "prepared.hpp"
#include "report/trial_report.hpp"
#include "run_report.hpp"
#include "session.hpp"
#include "suggestions.hpp"
#include "tell.hpp"
#include "waiting.hpp"

namespace krica::cli {
namespace {

struct TrainCommand {
  SessionOptions session;
  DataOptions data;
  PipelineOptions pipeline;
  std::filesystem::path model;
  std::filesystem::path checkpoint;
  std::filesystem::path atoms;  ///< the file named by --init, if any
  std::filesystem::path report;
  bool classifier = true;
  std::string control = "auto";
  std::string recipe;
};

/// The training and test images.
struct TrainingData {
  DataSet data;
  ImageSetPtr images;
  bool held_out = false;  ///< the test part was split off by this command
};

TrainingData open_training_data(const Context& context, const TrainCommand& command) {
  DataOptions options = command.data;
  suit_descriptor(options, command.pipeline);
  if (!options.test_fraction) options.test_fraction = command.classifier ? kTestFraction : 0;
  TrainingData result{open_images(context, options), nullptr};
  const DataSet& data = result.data;
  result.images = !command.classifier && data.unlabelled ? data.unlabelled : data.train;
  if (command.pipeline.images > 0)
    result.images = first_images(result.images, command.pipeline.images);
  result.held_out = data.test_was_split_off;
  return result;
}

/// Prints the automatic choices before the work begins.
void print_choices(const TrainCommand& command, const TrainingData& data,
                   const std::vector<Choice>& choices) {
  fmt::print("{} {} to learn from", data.images->size(), to_text(*data.images));
  if (data.held_out) {
    fmt::print(", {} held out for testing (--test-fraction 0 learns from all)",
               data.data.test->size());
  } else if (command.classifier && data.data.test) {
    fmt::print(", {} to test on", data.data.test->size());
  }
  fmt::print("\n");
  for (const Choice& choice : choices)
    fmt::print("{} {}: {}\n", choice.option, choice.value, choice.reason);
}

nlohmann::json choices_json(const std::vector<Choice>& choices) {
  nlohmann::json list = nlohmann::json::array();
  for (const Choice& choice : choices) {
    list.push_back({{"option", choice.option}, {"value", choice.value}, {"reason", choice.reason}});
  }
  return list;
}

nlohmann::json comparison_json(const JointComparison& comparison) {
  nlohmann::json summary = {{"images", comparison.images},
                            {"start", comparison.start},
                            {"joint", comparison.joint},
                            {"kept", comparison.kept}};
  if (comparison.svm) summary["svm"] = *comparison.svm;
  return summary;
}

/// The comparison on held-out images by max-margin-krica.
void print_comparison(const JointComparison& comparison) {
  if (comparison.images == 0) return;
  fmt::print("accuracy on {} held-out images: {:.1f} % with the initial atoms", comparison.images,
             100 * comparison.start);
  if (comparison.svm)
    fmt::print(", {:.1f} % with the learned atoms and an SVM", 100 * *comparison.svm);
  const char* kept = comparison.kept == "start" ? "the initial atoms"
                     : comparison.kept == "svm" ? "the SVM"
                                                : "the joint classifier";
  fmt::print(", {:.1f} % with the learned atoms and the joint classifier; kept: {}\n",
             100 * comparison.joint, kept);
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
  if (report.comparison.images > 0) summary["compared"] = comparison_json(report.comparison);
  if (!report.warning.empty()) summary["warning"] = report.warning;
  return summary;
}

void print_summary(const Model& model, const TrainingReport& report,
                   const std::filesystem::path& path) {
  const PipelineOptions& options = model.options();
  fmt::print("{}: {}", path.string(), options.method);
  if (basis_method(options.method).learn != nullptr) {
    fmt::print(" with {} atoms", *options.basis.components);
    if (options.dictionary.features)
      fmt::print(" for the features of {}", *options.dictionary.features);
    if (options.kernel.gamma && has_effect(options, "gamma"))
      fmt::print(", gamma {:.4g}", *options.kernel.gamma);
    fmt::print(", basis {}", model.parts().basis_status);
  }
  if (model.parts().network) {
    for (const ConvLayer<float>& layer : model.parts().network->layers()) {
      fmt::print("{} {} groups of {} x {}",
                 &layer == &model.parts().network->layers().front() ? " with" : ",",
                 layer.shape().groups, layer.shape().field, layer.shape().field);
    }
    fmt::print(", basis {}", model.parts().basis_status);
  }
  if (options.classifier.C) fmt::print(", C {:.4g}", *options.classifier.C);
  fmt::print("\n");
  print_comparison(report.comparison);
  fmt::print("{}{}\n", report.resumed ? "resumed; " : "", stage_times(report.stages));
}

bool wants_control(const TrainCommand& command, const PipelineOptions& settled) {
  if (!command.classifier || settled.method == kControl) return false;
  return command.control == "yes" ||
         (command.control == "auto" && command.pipeline.method == kAutoMethod);
}

/// The same number of random patches under the same protocol.
PipelineOptions control_options(const PipelineOptions& settled) {
  PipelineOptions options;
  options.method = kControl;
  options.basis.components = settled.basis.components;
  options.descriptor.kind = settled.descriptor.kind;
  options.descriptor.receptive_field = settled.descriptor.receptive_field;
  options.descriptor.stride = settled.descriptor.stride;
  options.pooling.levels = settled.pooling.levels;
  options.pooling.function = settled.pooling.function;
  options.classifier.scaling = settled.classifier.scaling;
  options.classifier.flips = settled.classifier.flips;
  options.classifier.test_flips = settled.classifier.test_flips;
  options.descriptor.patches = settled.descriptor.patches;
  options.seed = settled.seed;
  return options;
}

double control_accuracy(const Context& context, const Model& model, const TrainingData& data) {
  const Model control = train(context, *data.images, {control_options(model.options())});
  Trial trial = trial_of(control, {}, data.images->size());
  add_test(control, control.scores(context, *data.data.test), *data.data.test, trial);
  return trial.evaluation().accuracy;
}

void write_report(const TrainCommand& command, const Model& model, const Trial& trial,
                  const DataSet& data, std::optional<double> control) {
  ReportPage page = begin_page(fmt::format("krica train: {}", model.options().method),
                               fmt::format("{}: {} {}.", command.data.path.string(),
                                           trial.train_images, to_text(model.shape())),
                               command.pipeline.seed);
  if (trial.labels.empty()) {
    add_opening(page,
                fmt::format("{} learned {} features from {} {}; there was no test part.",
                            model.options().method, model.n_features(), trial.train_images,
                            noun_of(model.shape())),
                model);
    page.add_note("To measure accuracy, split off a test part with --test-fraction.");
  } else {
    add_accuracy_table(page, {{model.options().method, model, trial}}, control);
  }
  page.add_section("The model");
  add_trial(page, {trial, &model, data.test.get()});
  if (is_first_rank()) page.save(command.report);
}

/// The file of initial atoms named by --init, if any; init then becomes "given".
std::filesystem::path take_atoms_file(PipelineOptions& options) {
  if (!options.basis.init || !options.basis.init->ends_with(".npy")) return {};
  return *std::exchange(options.basis.init, "given");
}

Matrix<float> read_atoms(const Context& context, const std::filesystem::path& file) {
  const SampleSetPtr rows = open_dataset(context, file, {.format = DataFormat::kNpy}).train_samples;
  if (rows == nullptr)
    throw DataError(fmt::format("[init] {} must contain one atom per row", file.string()));
  Matrix<float> atoms(rows->rows(), rows->cols());
  rows->read(0, rows->rows(), atoms.data());
  return atoms;
}

/// Estimates everything that the command will do: training, test and control.
TrainingEstimate estimated(const Context& context, const TrainCommand& command,
                           const TrainingData& data, const PipelineOptions& settled) {
  const WaitEstimator images(context, *data.images);
  TrainingEstimate estimate = images.training(settled, command.classifier);
  if (!command.classifier || !data.data.test) return estimate;
  const WaitEstimator test(context, *data.data.test);
  estimate.stages.push_back({"test", test.encoding(settled)});
  if (!wants_control(command, settled)) return estimate;
  const PipelineOptions control = resolved(control_options(settled), facts_of(*data.images, true));
  estimate.stages.push_back(
      {"control", images.training(control).seconds() + test.encoding(control)});
  return estimate;
}

/// Announces the expected time. When resuming from a checkpoint, the remaining time is unknown.
void announce_training(const Context& context, const TrainCommand& command,
                       const TrainingData& data, nlohmann::json& summary) {
  const bool silent = (command.session.quiet && !command.session.json) || !is_first_rank();
  if (silent || context.cuda_device() || std::filesystem::exists(command.checkpoint)) return;
  const DataFacts facts = facts_of(*data.images, command.classifier);
  const PipelineOptions settled = resolved(command.pipeline, facts);
  const TrainingEstimate estimate = estimated(context, command, data, settled);
  for (const StageEstimate& stage : estimate.stages)
    summary["estimated_seconds"][stage.stage] = stage.seconds;
  announce(command.session, learning_text(facts, settled), estimate.seconds());
}

/// Trains, or resumes, and saves the model.
Model train_and_save(const Context& context, const TrainCommand& command, const TrainingData& data,
                     TrainingReport& report) {
  TrainingJob job{command.pipeline, command.checkpoint, command.classifier};
  if (!command.atoms.empty()) job.initial_atoms = read_atoms(context, command.atoms);
  keep_for_resume({command.checkpoint});
  Model model = train(context, *data.images, job, &report);
  if (is_first_rank()) {
    model.save(command.model);
    remove_checkpoint(command.checkpoint);
  }
  result_is_saved(command.model);
  end_progress_line();
  return model;
}

/// Tests the model and, on request, the control; adds both to the summary.
void test_model(const Context& context, const TrainCommand& command, const TrainingData& data,
                const Model& model, Trial& trial, nlohmann::json& summary) {
  const ImageSet& test = *data.data.test;
  const bool text = !command.session.json;
  add_test(model, model.scores(context, test), test, trial);
  const Evaluation evaluation = trial.evaluation();
  end_progress_line();
  summary["test"] = to_json(evaluation, model.class_names());
  if (text) {
    fmt::print("test accuracy {:.2f} % on {} {}\n", 100 * evaluation.accuracy, test.size(),
               noun_of(test.shape()));
  }
  if (wants_control(command, model.options())) {
    const double accuracy = control_accuracy(context, model, data);
    end_progress_line();
    summary["control"] = {{"method", kControl}, {"accuracy", accuracy}};
    if (text) fmt::print("control: {:.2f} % with as many random patches\n", 100 * accuracy);
  }
  const std::string hint = fmt::format(
      "{}",
      fmt::join(suggestions(command.pipeline, model.options(), *data.images, evaluation.accuracy),
                "\n"));
  if (hint.empty()) return;
  summary["suggestion"] = hint;
  if (text) fmt::print("{}\n", hint);
}

void run_train(CLI::App& app, TrainCommand& command) {
  apply_config(app, command.session);
  apply_recipe(app, command.recipe);
  command.atoms = take_atoms_file(command.pipeline);
  check_usage([&] { command.pipeline.validate(); });
  check_target(command.model);
  check_target(command.report);
  if (command.checkpoint.empty()) command.checkpoint = command.model.string() + ".checkpoint";
  check_target(command.checkpoint);
  const Context context = make_context(command.session, command.pipeline.seed);
  hold_outputs({command.model, command.checkpoint, command.report});
  const TrainingData data = open_training_data(context, command);
  const std::vector<Choice> choices =
      recommended(command.pipeline, facts_of(*data.images, command.classifier)).choices;
  if (!command.session.json) print_choices(command, data, choices);
  nlohmann::json estimate = nlohmann::json::object();
  announce_training(context, command, data, estimate);
  TrainingReport report;
  const Model model = train_and_save(context, command, data, report);
  nlohmann::json summary = summary_json(model, report, command.model);
  summary.update(estimate);
  summary["chosen"] = choices_json(choices);
  summary["notes"] = data.data.notes;
  if (!command.session.json) print_summary(model, report, command.model);
  if (!report.warning.empty()) tell("{}\n", report.warning);
  Trial trial = trial_of(model, report, data.images->size());
  if (command.classifier && data.data.test)
    test_model(context, command, data, model, trial, summary);
  if (!command.report.empty()) {
    std::optional<double> control;
    if (summary.contains("control")) control = summary["control"]["accuracy"].get<double>();
    write_report(command, model, trial, data.data, control);
  }
  if (command.session.json) print_json(summary);
}

void add_command(CLI::App& app, const char* name, const char* help, bool classifier) {
  auto command = std::make_shared<TrainCommand>();
  command->classifier = classifier;
  CLI::App* sub = app.add_subcommand(name, help);
  add_data_options(*sub, command->data);
  add_path(*sub, "-o,--output", command->model, "model file to write")->required();
  add_pipeline_options(*sub, command->pipeline);
  add_path(*sub, "--checkpoint", command->checkpoint,
           "file for resuming after an interruption; default MODEL.checkpoint")
      ->group("Running");
  if (classifier) {
    sub->add_option(
           "--control", command->control,
           "also test the same number of random patches: yes, no, or auto (if the method is auto)")
        ->check(one_of({"auto", "yes", "no"}))
        ->capture_default_str();
    add_path(*sub, "--report", command->report, "write an HTML report");
    sub->add_option("--recipe", command->recipe,
                    "options found together for one purpose, for those not given; accurate: for "
                    "small photographs in colour and a GPU, found on CIFAR-10")
        ->check(one_of(recipe_names()));
  }
  add_session_options(*sub, command->session);
  sub->footer(fmt::format("\nExample: krica {} embedded -o clothes.krica --components 400", name));
  sub->callback([sub, command] { run_train(*sub, *command); });
}

}  // namespace

void add_train(CLI::App& app) {
  add_command(app, "train",
              "Learn a basis, features and a classifier from labelled images or samples", true);
}

void add_fit(CLI::App& app) {
  add_command(app, "fit",
              "Learn only a basis, without labels, from images or an .npy file of samples", false);
}

}  // namespace krica::cli
