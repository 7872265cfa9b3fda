// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/search.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "classify/metrics.hpp"
#include "classify/splits.hpp"
#include "krica/runtime/error.hpp"
#include "models/checkpoint.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

using nlohmann::json;

json row_of(const json& setting, const std::vector<double>& accuracies) {
  const auto folds = static_cast<double>(accuracies.size());
  double mean = 0;
  double squares = 0;
  for (const double accuracy : accuracies) mean += accuracy / folds;
  for (const double accuracy : accuracies) squares += (accuracy - mean) * (accuracy - mean);
  return {
      {"options", setting}, {"accuracy", mean}, {"deviation", std::sqrt(squares / (folds - 1))}};
}

}  // namespace

PipelineOptions with_setting(const PipelineOptions& base, const json& setting) {
  json all = json::parse(to_json(base));
  for (const auto& [name, value] : setting.items()) {
    require(all.contains(name), "grid", "there is no option '{}'", name);
    all[name] = value;
  }
  try {
    PipelineOptions options = options_from_json(all.dump());
    options.validate();
    return options;
  } catch (const DataError& error) {
    throw InvalidArgument(error.what());
  }
}

Search::Search(const Context& context, ImageSetPtr images, SearchJob job)
    : context_(context),
      images_(std::move(images)),
      job_(std::move(job)),
      fold_of_(stratified_folds(context, images_->labels(), job_.folds, "tune.folds")),
      checkpoint_(job_.checkpoint, {json::parse(to_json(job_.options)), job_.settings, job_.folds,
                                    fingerprint(context, *images_), device_text(context)}) {}

json Search::run(const SearchHooks& hooks) {
  json rows = json::array();
  try {
    for (std::size_t i = 0; i < job_.settings.size(); ++i) {
      rows.push_back(tried(i, hooks));
      if (hooks.row) hooks.row(rows.back());
    }
  } catch (...) {
    checkpoint_.keep_interrupted_fold();
    throw;
  }
  return rows;
}

Index Search::folds_left(const json& setting) const {
  if (!checkpoint_.error(setting).empty()) return 0;
  return job_.folds - static_cast<Index>(checkpoint_.accuracies(setting).size());
}

/// A setting that the method rejects on these images, such as more components than there are
/// directions, does not end the search.
json Search::tried(std::size_t number, const SearchHooks& hooks) {
  const json& setting = job_.settings[number];
  if (const std::string error = checkpoint_.error(setting); !error.empty())
    return {{"options", setting}, {"error", error}};
  try {
    while (true) {
      const std::vector<double> done = checkpoint_.accuracies(setting);
      const auto fold = static_cast<int>(done.size());
      if (fold >= job_.folds) return row_of(setting, done);
      if (hooks.fold) hooks.fold(number, fold);
      const double accuracy = fold_accuracy(setting, fold);
      // In this order: the next fold must never find the state of this one.
      remove_checkpoint(checkpoint_.fold_path());
      checkpoint_.keep_fold(setting, accuracy);
    }
  } catch (const InvalidArgument& error) {
    remove_checkpoint(checkpoint_.fold_path());
    checkpoint_.keep_error(setting, error.what());
    return {{"options", setting}, {"error", error.what()}};
  }
}

double Search::fold_accuracy(const json& setting, int fold) {
  std::vector<Index> inside;
  std::vector<Index> outside;
  for (std::size_t i = 0; i < fold_of_.size(); ++i)
    (fold_of_[i] == fold ? outside : inside).push_back(static_cast<Index>(i));
  const Model model = train(context_, *subset(images_, inside),
                            {with_setting(job_.options, setting), checkpoint_.fold_path()});
  const ImageSetPtr held = subset(images_, outside);
  return accuracy_of(model.predict(context_, *held), held->labels());
}

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

}  // namespace krica
