// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "commands.hpp"
#include "evaluation_text.hpp"
#include "krica/models/model.hpp"
#include "krica/runtime/error.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

struct EvaluateCommand {
  SessionOptions session;
  DataOptions data;
  std::filesystem::path model;
  std::string split = "test";
};

ImageSetPtr chosen_split(const DataSet& data, const std::string& split) {
  if (split == "train") return data.train;
  if (data.test) return data.test;
  throw DataError("[evaluate] the data has no test part; use --split train or --test-fraction");
}

void run_evaluate(CLI::App& app, EvaluateCommand& command) {
  apply_config(app, command.session);
  const Model model = Model::load(command.model);
  const Context context = make_context(command.session, model.options().seed);
  const DataSet data = open_images(context, command.data);
  const ImageSetPtr images = chosen_split(data, command.split);
  if (images->labels().empty())
    throw DataError("[evaluate] the data has no labels; give --labels FILE");
  if (images->shape() != model.shape()) {
    throw DataError(fmt::format("[evaluate] {} where {} were learned", to_text(images->shape()),
                                to_text(model.shape())));
  }
  const auto classes = static_cast<Index>(model.class_names().size());
  if (images->classes() > classes) {
    throw DataError(fmt::format("[evaluate] the data has {} classes, the model {}",
                                images->classes(), classes));
  }
  const Evaluation evaluation =
      evaluate_predictions(model.predict(context, *images), images->labels(), classes);
  end_progress_line();
  if (command.session.json) {
    nlohmann::json result = to_json(evaluation, model.class_names());
    result[std::string(noun_of(images->shape()))] = images->size();
    result["split"] = command.split;
    print_json(result);
  } else {
    fmt::print("{} {} ({})\n{}", images->size(), noun_of(images->shape()), command.split,
               to_text(evaluation, model.class_names()));
  }
}

}  // namespace

void add_evaluate(CLI::App& app) {
  auto command = std::make_shared<EvaluateCommand>();
  CLI::App* sub = app.add_subcommand(
      "evaluate", "Accuracy of a model on labelled data, per class, with the confusion matrix");
  add_path(*sub, "MODEL", command->model, "a model file")->required();
  add_data_options(*sub, command->data);
  sub->add_option("--split", command->split, "the part to evaluate on")
      ->check(CLI::IsMember({"test", "train"}))
      ->capture_default_str();
  add_session_options(*sub, command->session);
  sub->footer("\nExample: krica evaluate clothes.krica embedded");
  sub->callback([sub, command] { run_evaluate(*sub, *command); });
}

}  // namespace krica::cli
