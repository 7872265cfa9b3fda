// SPDX-License-Identifier: BSD-3-Clause
//
// Search: cross-validates settings of options, one fold after another, on stratified folds that are
// the same for all settings. Every finished fold and the fold in progress are in a checkpoint.
// Several ranks compute folds side by side (runtime/farm.hpp); the checkpoint then has finished
// folds only.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/search_checkpoint.hpp"
#include "krica/models/training.hpp"

namespace krica {

/// The options with a setting applied, {"gamma": 3, ...}. Throws InvalidArgument for names and
/// values that options do not have.
PipelineOptions with_setting(const PipelineOptions& base, const nlohmann::json& setting);

struct SearchJob {
  PipelineOptions options;               ///< common to all settings
  std::vector<nlohmann::json> settings;  ///< each an object of options and values
  int folds = 5;                         ///< >= 2
  std::filesystem::path checkpoint = {};
};

struct SearchHooks {
  std::function<void(std::size_t setting, int fold)> fold = {};  ///< before each
  std::function<void(const nlohmann::json& row)> row = {};       ///< after each setting
};

class Search {
 public:
  /// Reads the checkpoint if it exists; throws as SearchCheckpoint does.
  Search(const Context& context, ImageSetPtr images, SearchJob job);

  /// One row per setting: {options, accuracy, deviation}, or {options, error} for a setting that
  /// the method rejects on these images. Throws Cancelled.
  nlohmann::json run(const SearchHooks& hooks = {});

  /// Folds that run() has not finished yet.
  [[nodiscard]] Index folds_left(const nlohmann::json& setting) const;
  [[nodiscard]] const SearchJob& job() const { return job_; }
  [[nodiscard]] const SearchCheckpoint& checkpoint() const { return checkpoint_; }

 private:
  void compute_on_ranks(const SearchHooks& hooks);
  nlohmann::json tried(std::size_t number, const SearchHooks& hooks);
  double fold_accuracy(const Context& context, const nlohmann::json& setting, int fold,
                       const std::filesystem::path& checkpoint);

  const Context& context_;
  ImageSetPtr images_;
  SearchJob job_;
  std::vector<int> fold_of_;
  SearchCheckpoint checkpoint_;
};

/// The first of the most accurate rows. Throws InvalidArgument if all failed.
nlohmann::json best_of(const nlohmann::json& rows);

}  // namespace krica
