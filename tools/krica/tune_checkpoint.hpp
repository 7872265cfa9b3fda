// SPDX-License-Identifier: BSD-3-Clause
//
// What krica tune has found so far, so that a search that was interrupted can resume: the accuracy
// of every finished fold of every setting.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace krica::cli {

/// What makes two searches the same one.
struct TuneJob {
  nlohmann::json options;  ///< those that all settings share, by name
  nlohmann::json grid;     ///< the settings
  int folds = 0;
  std::string fingerprint;  ///< of the data
};

class TuneCheckpoint {
 public:
  /// Reads the file if it exists. Throws InvalidArgument naming what differs for another search,
  /// DataError for other data or a file that is no such checkpoint.
  TuneCheckpoint(std::filesystem::path path, const TuneJob& job);

  [[nodiscard]] bool resumed() const { return resumed_; }
  /// Where the training of the fold in progress keeps its own state.
  [[nodiscard]] std::filesystem::path fold_path() const { return path_.string() + ".fold"; }

  /// The accuracies of a setting's finished folds.
  [[nodiscard]] std::vector<double> accuracies(const nlohmann::json& setting) const;
  /// Why a setting failed; empty where it did not.
  [[nodiscard]] std::string error(const nlohmann::json& setting) const;

  /// Adds to the file.
  void keep_fold(const nlohmann::json& setting, double accuracy);
  void keep_error(const nlohmann::json& setting, const std::string& error);

  /// Makes sure that the state of a fold in progress is found again.
  void keep_interrupted_fold() const;

  /// Removes the file, and the state of a fold beside it.
  void remove() const;

 private:
  void check(const TuneJob& job) const;
  void write() const;

  std::filesystem::path path_;
  nlohmann::json content_;
  bool resumed_ = false;
};

}  // namespace krica::cli
