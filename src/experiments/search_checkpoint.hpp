// SPDX-License-Identifier: BSD-3-Clause
//
// The results of a search so far, so that an interrupted one can be resumed: the accuracy of
// every finished fold of every setting.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace krica {

class Archive;

/// The identity of a search.
struct SearchIdentity {
  nlohmann::json options;  ///< common to all settings, by name
  nlohmann::json grid;     ///< the settings
  int folds = 0;
  std::string fingerprint;  ///< of the data
  std::string device;       ///< where it computes, and the precision
};

class SearchCheckpoint {
 public:
  /// Reads the file if it exists. Throws InvalidArgument naming what differs for another search,
  /// DataError for other data or a file that is not such a checkpoint.
  /// writes: whether this process, of several with the same results, keeps the file.
  SearchCheckpoint(std::filesystem::path path, const SearchIdentity& job, bool writes = true);

  [[nodiscard]] bool resumed() const { return resumed_; }
  /// The checkpoint of the fold in progress.
  [[nodiscard]] std::filesystem::path fold_path() const { return path_.string() + ".fold"; }

  /// The folds of a setting that have no accuracy yet; none if it failed.
  [[nodiscard]] std::vector<int> folds_left(const nlohmann::json& setting) const;
  /// The accuracies of a setting's folds, in their order; none must be left.
  [[nodiscard]] std::vector<double> accuracies(const nlohmann::json& setting) const;
  /// Why a setting failed; empty if it did not.
  [[nodiscard]] std::string error(const nlohmann::json& setting) const;

  /// Adds to the file.
  void keep_fold(const nlohmann::json& setting, int fold, double accuracy);
  void keep_error(const nlohmann::json& setting, const std::string& error);

  /// Ensures that the state of a fold in progress can be found again.
  void keep_interrupted_fold() const;

  /// Removes the file and the state of the fold in progress.
  void remove() const;

 private:
  void read(const Archive& archive, const SearchIdentity& job);
  void check(const SearchIdentity& job) const;
  [[nodiscard]] nlohmann::json finished(const nlohmann::json& setting) const;
  void write() const;

  std::filesystem::path path_;
  nlohmann::json content_;
  bool resumed_ = false;
  bool writes_;
};

}  // namespace krica
