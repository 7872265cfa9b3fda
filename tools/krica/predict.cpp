// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include "commands.hpp"
#include "krica/bases/basis.hpp"
#include "krica/runtime/error.hpp"
#include "krica/runtime/words.hpp"
#include "models/model_parts.hpp"
#include "models/votes.hpp"
#include "one_of.hpp"
#include "predict_inputs.hpp"
#include "predict_output.hpp"
#include "progress.hpp"
#include "report/explanation.hpp"
#include "session.hpp"
#include "tell.hpp"

namespace krica::cli {
namespace {

namespace fs = std::filesystem;

constexpr Index kFewItems = 10;  // up to this many are printed with all their choices

struct PredictCommand {
  SessionOptions session;
  fs::path model;
  std::vector<fs::path> inputs;
  std::string format = "auto";
  std::string split = "auto";
  Index top = 3;
  bool csv = false;
  fs::path output;
  fs::path explain;
};

/// heat.png, or heat-1.png, heat-2.png, ... for several items.
fs::path numbered(const fs::path& path, Index number, Index of) {
  if (of == 1) return path;
  fs::path name = path.stem();
  name += fmt::format("-{}", number);
  name += path.extension();
  return path.parent_path() / name;
}

/// Draws an explanation of the best class of item `i` in a round.
void explain(const Model& model, const ImageSet& images, Index i, const fs::path& path,
             Prediction& prediction) {
  std::vector<float> image(static_cast<std::size_t>(images.shape().values()));
  images.read(i, 1, image.data());
  const Prediction::Choice& best = prediction.choices.front();
  const std::string title = model.has_probabilities()
                                ? fmt::format("{}: {:.1f} %{}", best.name, 100 * best.probability,
                                              prediction.unsure ? " (unsure)" : "")
                                : fmt::format("{}: score {:.3f}", best.name, best.score);
  write_png(path, draw_explanation(model, image.data(), images.shape_of(i), best.label, title));
  prediction.explanation = path.string();
}

class PredictRun {
 public:
  PredictRun(const PredictCommand& command, const Context& context, const Model& model)
      : command_(command),
        context_(context),
        model_(model),
        inputs_(context, model, command.inputs, data_format(command.format), command.split),
        total_(inputs_.size()) {
    const bool probabilities = model.has_probabilities();
    if (command.csv) {
      writer_ = csv_writer(command.output, probabilities, command.top);
    } else if (command.session.json) {
      writer_ = json_writer(items_, probabilities);
    } else {
      writer_ = text_writer(probabilities, total_ <= kFewItems);
    }
    // Lines on a terminal are sufficient progress.
    const bool lines_shown = !command.session.json && command.output.empty() && ::isatty(1) == 1;
    shows_progress_ = !command.session.quiet && !lines_shown;
  }

  void run() {
    inputs_.for_rounds([&](const Round& round) { predict(round); });
    writer_->finish();
    end_progress_line();
    if (command_.session.json) {
      print_json(summary());
    } else if (!command_.output.empty()) {
      fmt::print("{}: {} {}\n", command_.output.string(), done_, noun_of(model_.shape()));
    }
    report_failures();
  }

 private:
  void predict(const Round& round) {
    const Matrix<float> scores = model_.scores(context_, *round.images);
    for (Index i = 0; i < scores.rows(); ++i) {
      Prediction prediction =
          prediction_of(model_, round.names[static_cast<std::size_t>(i)],
                        {scores.row(i), static_cast<std::size_t>(scores.cols())}, command_.top);
      ++done_;
      if (!command_.explain.empty()) {
        context_.check_cancelled();
        explain(model_, *round.images, i, numbered(command_.explain, done_, total_), prediction);
      }
      writer_->add(prediction);
    }
    if (shows_progress_) progress_({"predict", done_, total_});
  }

  [[nodiscard]] nlohmann::json summary() const {
    nlohmann::json result = {{"count", done_}};
    const std::string noun(noun_of(model_.shape()));
    if (command_.csv) {
      result["output"] = command_.output.string();
    } else {
      result[noun] = items_;
    }
    nlohmann::json failed = nlohmann::json::array();
    for (const FailedInput& failure : inputs_.failures())
      failed.push_back({{"item", failure.item}, {"error", failure.reason}});
    result["failed"] = failed;
    return result;
  }

  /// The lines were printed when they failed.
  void report_failures() const {
    const std::vector<FailedInput>& failures = inputs_.failures();
    if (failures.empty()) return;
    const std::string what = fmt::format("[predict] {} of {} could not be read", failures.size(),
                                         done_ + static_cast<Index>(failures.size()));
    if (failures.size() == 1 && done_ == 0 && failures[0].file_system) throw IoError(what);
    throw DataError(what);
  }

  const PredictCommand& command_;
  const Context& context_;
  const Model& model_;
  PredictInputs inputs_;
  Index total_;
  Index done_ = 0;
  nlohmann::json items_ = nlohmann::json::array();
  std::unique_ptr<PredictionWriter> writer_;
  ProgressPrinter progress_;
  bool shows_progress_ = false;
};

void check_command(PredictCommand& command, bool top_given) {
  if (command.top < 1)
    throw UsageError(fmt::format("--top must be at least 1, got {}", command.top));
  if (command.csv && command.output.empty() && command.session.json) {
    throw UsageError(
        "--csv and --json both print to standard output; use one, or -o FILE for the CSV");
  }
  if (!command.output.empty()) command.csv = true;
  if (command.csv && !top_given) command.top = 1;
  check_target(command.output);
  check_target(command.explain);
}

Model model_with_classes(const PredictCommand& command) {
  Model model = Model::load(command.model);
  if (!model.has_classifier()) {
    throw DataError(fmt::format("[predict] {} has no classifier; train one with krica train",
                                command.model.string()));
  }
  if (!command.explain.empty() && basis_method(model.options().method).network) {
    throw DataError(fmt::format(
        "[predict] {} is a network ({}): the codes of its second layer are no sum over places of "
        "the image, so --explain has nothing to draw; train another method, such as omp-1",
        command.model.string(), model.options().method));
  }
  if (!command.explain.empty() && !model.parts().extractor) {
    throw DataError(fmt::format("[predict] {} has no atoms, so --explain has nothing to draw",
                                command.model.string()));
  }
  if (!command.explain.empty() && !has_votes(model)) {
    throw DataError(
        fmt::format("[predict] {} tells classes apart by a dictionary, whose scores are "
                    "no sum over the image, so --explain has nothing to draw",
                    command.model.string()));
  }
  return model;
}

void run_predict(CLI::App& app, PredictCommand& command) {
  apply_config(app, command.session);
  check_command(command, app.count("--top") > 0);
  const Model model = model_with_classes(command);
  SessionOptions silent = command.session;
  silent.quiet = true;  // rounds are the progress, not their stages
  const Context context = make_context(silent, model.options().seed);
  hold_outputs({command.output});
  if (!model.has_probabilities()) {
    tell(
        "krica: {} has scores but no probabilities: it was trained without held-out data "
        "or by an older version\n",
        command.model.string());
  }
  PredictRun(command, context, model).run();
}

}  // namespace

void add_predict(CLI::App& app) {
  auto command = std::make_shared<PredictCommand>();
  CLI::App* sub =
      app.add_subcommand("predict", "Classes of images or samples, with calibrated probabilities");
  add_path(*sub, "MODEL", command->model, "a model file with a classifier")->required();
  add_path(*sub, "INPUT", command->inputs,
           "image files, folders of them, or data sets (.npy, IDX, CIFAR, ...); labels are not "
           "needed; images are resized to the model's size")
      ->required();
  sub->add_option("--format", command->format, "data format; auto detects it")
      ->check(one_of(all_names<DataFormat>()))
      ->capture_default_str();
  sub->add_option("--split", command->split,
                  "part of a data set to predict; auto: the test part, or all if there is none")
      ->check(one_of({"auto", "train", "test"}))
      ->capture_default_str();
  sub->add_option("--top", command->top, "classes to list per item (CSV: 1 unless given)")
      ->capture_default_str();
  sub->add_flag("--csv", command->csv,
                "CSV on standard output: item, class, probability, score, unsure");
  add_path(*sub, "-o,--output", command->output, "write the CSV to this file");
  add_path(*sub, "--explain", command->explain,
           "PNG file to write: where the score of the class comes from, and the atoms that "
           "contribute most to it (numbered for several items)");
  add_session_options(*sub, command->session);
  sub->footer(
      "\nUnsure means: the best probability is below 0.5, or less than 0.1 above the second.\n"
      "Files that cannot be read get a line on standard error; the others are predicted and the "
      "exit code is 3.\n"
      "\nExample: krica predict clothes.krica photo.jpg --top 3\n"
      "         krica predict clothes.krica photos/ -o classes.csv");
  sub->callback([sub, command] { run_predict(*sub, *command); });
}

}  // namespace krica::cli
