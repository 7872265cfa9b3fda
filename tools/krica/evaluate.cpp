// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "commands.hpp"
#include "data/same_data.hpp"
#include "evaluation_text.hpp"
#include "krica/runtime/error.hpp"
#include "models/class_match.hpp"
#include "models/model_parts.hpp"
#include "one_of.hpp"
#include "runtime/sharing.hpp"
#include "session.hpp"
#include "tell.hpp"
#include "waiting.hpp"

namespace krica::cli {
namespace {

struct EvaluateCommand {
  SessionOptions session;
  DataOptions data;
  std::filesystem::path model;
  std::string split = "test";
  bool ignore_unknown = false;
};

/// The images to evaluate, of classes that the model knows, and their labels in its order.
struct Part {
  ImageSetPtr images;
  std::string name;
  std::vector<int> labels = {};
  Index ignored = 0;  ///< images of classes that the model does not know
  Index seen = 0;     ///< training images of the model
};

/// For a set without a test part: the images that the model was not trained on, or all if there are
/// none or they are unknown.
Part unseen_part(const Context& caller, const Model& model, const DataSet& data) {
  const Context context = sharing(caller);
  const SeenImages& seen = model.parts().seen;
  if (seen.count_in(context, *data.train) == 0) return {data.train, "all"};
  if (seen.complete()) {
    const std::vector<Index> unseen = seen.unseen_in(context, *data.train);
    if (!unseen.empty()) return {subset(data.train, unseen), "not learned from"};
    return {data.train, "all"};
  }
  const Split split = stratified_split(data.train->labels(), kTestFraction, context.seed());
  const ImageSetPtr rest = subset(data.train, split.test);
  if (seen.count_in(context, *rest) == 0) return {rest, "not learned from"};
  return {data.train, "all"};
}

Part chosen_part(const Context& context, const EvaluateCommand& command, const Model& model) {
  const DataSet data = open_as_learned(context, command.data, model);
  if (data.train->labels().empty() && !data.test)
    throw DataError("[evaluate] the data has no labels; give --labels FILE");
  if (command.split == "train") return {data.train, "train"};
  if (data.test) return {data.test, "test"};
  return unseen_part(context, model, data);
}

/// Matches labels by class name; unknown classes are rejected or skipped.
void match_labels(const EvaluateCommand& command, const Model& model, Part& part) {
  if (!command.ignore_unknown) {
    try {
      part.labels = labels_known_to(model.class_names(), *part.images, "evaluate");
    } catch (const DataError& error) {
      throw DataError(fmt::format("{}; --ignore-unknown skips the others", error.what()));
    }
    return;
  }
  const ClassMatch match = match_classes(*part.images, model.class_names());
  std::vector<Index> known;
  for (std::size_t i = 0; i < match.labels.size(); ++i) {
    if (match.labels[i] < 0) continue;
    known.push_back(static_cast<Index>(i));
    part.labels.push_back(match.labels[i]);
  }
  if (known.empty()) {
    throw DataError(fmt::format("[evaluate] the model knows none of the data's classes: {}",
                                listed(match.unknown)));
  }
  part.images = subset(part.images, known);
  part.ignored = match.unknown_images;
}

Part evaluated_part(const Context& context, const EvaluateCommand& command, const Model& model) {
  Part part = chosen_part(context, command, model);
  if (!model.accepts(part.images->shape())) {
    throw DataError(fmt::format("[evaluate] {}, but the model was trained on {}",
                                to_text(part.images->shape()), to_text(model.shape())));
  }
  match_labels(command, model, part);
  if (part.name != "train") part.seen = model.parts().seen.count_in(sharing(context), *part.images);
  return part;
}

void print_notes(const Part& part) {
  const std::string_view noun = noun_of(part.images->shape());
  if (part.ignored > 0) {
    tell("krica: skipped {} {} of classes that the model does not know\n", part.ignored, noun);
  }
  if (part.seen > 0) {
    tell(
        "krica: warning: the model was trained on {} of these {} {}; the accuracy on new "
        "ones will be lower\n",
        part.seen, part.images->size(), noun);
  }
}

void run_evaluate(CLI::App& app, EvaluateCommand& command) {
  apply_config(app, command.session);
  const Model model = Model::load(command.model);
  if (!model.has_classifier()) {
    throw DataError(fmt::format("[evaluate] {} has no classifier; train one with krica train",
                                command.model.string()));
  }
  const Context context = make_context(command.session, model.options().seed);
  require_same_content(context, command.model);
  const Part part = evaluated_part(context, command, model);
  announce_encoding(context, command.session, "testing on", *part.images, model.options());
  const Evaluation evaluation =
      evaluate_predictions(model.predict(context, *part.images), part.labels,
                           static_cast<Index>(model.class_names().size()));
  end_progress_line();
  print_notes(part);
  const std::string noun(noun_of(part.images->shape()));
  if (command.session.json) {
    nlohmann::json result = to_json(evaluation, model.class_names());
    result[noun] = part.images->size();
    result["split"] = part.name;
    result["ignored"] = part.ignored;
    result["seen_in_training"] = part.seen;
    print_json(result);
  } else {
    fmt::print("{} {} ({})\n{}", part.images->size(), noun, part.name,
               to_text(evaluation, model.class_names()));
  }
}

}  // namespace

void add_evaluate(CLI::App& app) {
  auto command = std::make_shared<EvaluateCommand>();
  CLI::App* sub = app.add_subcommand(
      "evaluate",
      "Evaluate a model on labelled data: accuracy, accuracy per class, confusion matrix");
  add_path(*sub, "MODEL", command->model, "model file")->required();
  add_data_options(*sub, command->data);
  sub->add_option("--split", command->split,
                  "part of the data to evaluate on; if there is no test part: the images that the "
                  "model was not trained on")
      ->check(one_of({"test", "train"}))
      ->capture_default_str();
  sub->add_flag("--ignore-unknown", command->ignore_unknown,
                "skip classes that the model does not know");
  add_session_options(*sub, command->session);
  sub->footer("\nExample: krica evaluate clothes.krica embedded");
  sub->callback([sub, command] { run_evaluate(*sub, *command); });
}

}  // namespace krica::cli
