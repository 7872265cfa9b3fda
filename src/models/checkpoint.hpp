// SPDX-License-Identifier: BSD-3-Clause
//
// The checkpoint of a training job: an archive of finished parts and of the running solver's state,
// rewritten at most every few seconds, whole.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "krica/models/options.hpp"
#include "krica/runtime/archive.hpp"

namespace krica {

/// `options` with what they leave open taken from a checkpoint of a version with other defaults, so
/// that a job ends as it was begun.
PipelineOptions continued(const PipelineOptions& options, const std::filesystem::path& checkpoint);

class Checkpoint {
 public:
  /// Opens what lies at `path`, if anything. An empty path keeps nothing. Throws InvalidArgument
  /// naming the options that differ, DataError for other data or a damaged file.
  Checkpoint(std::filesystem::path path, const PipelineOptions& options,
             const std::string& fingerprint);

  [[nodiscard]] bool active() const { return !path_.empty(); }
  [[nodiscard]] bool resumed() const { return resumed_; }
  /// Whether there is anything to resume from, as opposed to options and data alone.
  [[nodiscard]] bool holds_progress() const;
  [[nodiscard]] const Archive& content() const { return archive_; }
  [[nodiscard]] Archive& content() { return archive_; }
  /// Where the features are kept, beside the rest.
  [[nodiscard]] std::filesystem::path features_path() const { return features_path(path_); }
  static std::filesystem::path features_path(const std::filesystem::path& checkpoint) {
    return checkpoint.string() + ".features";
  }

  /// A nested archive: the state of the solver that is running.
  void put_state(const std::string& name, const Archive& state);
  [[nodiscard]] Archive state(const std::string& name) const;
  [[nodiscard]] std::optional<Archive> state_if(const std::string& name) const;

  /// Whether a write is due.
  [[nodiscard]] bool due() const;
  void write();

 private:
  std::filesystem::path path_;
  Archive archive_;
  bool resumed_ = false;
  std::chrono::steady_clock::time_point last_write_ = std::chrono::steady_clock::now();
};

}  // namespace krica
