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
#include "runtime/farm.hpp"

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
      checkpoint_(job_.checkpoint,
                  {json::parse(to_json(job_.options)), job_.settings, job_.folds,
                   agreed_fingerprint(context, *images_), device_text(context)},
                  is_first(context)) {}

json Search::run(const SearchHooks& hooks) {
  json rows = json::array();
  if (context_.ranks() != nullptr) compute_on_ranks(hooks);
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

/// Leaves nothing to compute for run().
void Search::compute_on_ranks(const SearchHooks& hooks) {
  struct Job {
    std::size_t setting;
    int fold;
  };
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < job_.settings.size(); ++i) {
    for (const int fold : checkpoint_.folds_left(job_.settings[i])) jobs.push_back({i, fold});
  }
  // The state of a fold that a process alone had begun.
  if (!jobs.empty() && is_first(context_)) remove_checkpoint(checkpoint_.fold_path());
  const auto compute = [&](const Context& group, Index number, std::string& result) {
    const Job& job = jobs[static_cast<std::size_t>(number)];
    if (hooks.fold) hooks.fold(job.setting, job.fold);
    try {
      result = json(fold_accuracy(group, job_.settings[job.setting], job.fold, {})).dump();
    } catch (const InvalidArgument& error) {
      result = json(error.what()).dump();
    }
  };
  farm(context_, std::ssize(jobs), compute, [&](Index number, const std::string& text) {
    const Job& job = jobs[static_cast<std::size_t>(number)];
    const json& setting = job_.settings[job.setting];
    const json result = json::parse(text);
    if (!checkpoint_.error(setting).empty()) return;  // an earlier fold's
    if (result.is_string()) {
      checkpoint_.keep_error(setting, result.get<std::string>());
    } else {
      checkpoint_.keep_fold(setting, job.fold, result.get<double>());
    }
  });
}

Index Search::folds_left(const json& setting) const {
  return std::ssize(checkpoint_.folds_left(setting));
}

/// A setting that the method rejects on these images, such as more components than there are
/// directions, does not end the search.
json Search::tried(std::size_t number, const SearchHooks& hooks) {
  const json& setting = job_.settings[number];
  if (const std::string error = checkpoint_.error(setting); !error.empty())
    return {{"options", setting}, {"error", error}};
  try {
    for (const int fold : checkpoint_.folds_left(setting)) {
      if (hooks.fold) hooks.fold(number, fold);
      const double accuracy = fold_accuracy(context_, setting, fold, checkpoint_.fold_path());
      // In this order: the next fold must never find the state of this one.
      remove_checkpoint(checkpoint_.fold_path());
      checkpoint_.keep_fold(setting, fold, accuracy);
    }
    return row_of(setting, checkpoint_.accuracies(setting));
  } catch (const InvalidArgument& error) {
    remove_checkpoint(checkpoint_.fold_path());
    checkpoint_.keep_error(setting, error.what());
    return {{"options", setting}, {"error", error.what()}};
  }
}

double Search::fold_accuracy(const Context& context, const json& setting, int fold,
                             const std::filesystem::path& checkpoint) {
  std::vector<Index> inside;
  std::vector<Index> outside;
  for (std::size_t i = 0; i < fold_of_.size(); ++i)
    (fold_of_[i] == fold ? outside : inside).push_back(static_cast<Index>(i));
  const Model model =
      train(context, *subset(images_, inside), {with_setting(job_.options, setting), checkpoint});
  const ImageSetPtr held = subset(images_, outside);
  return accuracy_of(model.predict(context, *held), held->labels());
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
