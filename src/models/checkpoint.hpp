// SPDX-License-Identifier: BSD-3-Clause
//
// The checkpoint of a training job: stores the results of finished stages and the state of the
// running solver, and restores them when the job is resumed. Without a path it stores and restores
// nothing.
//
// The file is an archive, rewritten as a whole at most every few seconds. Of several ranks only the
// first reads and writes it; it may have been made by another number of them.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "krica/data/image_set.hpp"
#include "krica/models/options.hpp"
#include "krica/runtime/archive.hpp"
#include "krica/solvers/solver.hpp"

namespace krica {

/// Increment whenever the format of a stage's result or state, an option's default, an automatic
/// choice, or the order of a sum changes: a resumed job must end as it was begun. Folds of a search
/// and rows of an experiment belong together only if they have the same layout.
inline constexpr std::string_view kCheckpointLayout = "5";

/// Where a context computes, as far as the last bits of a result depend on it: "the CPU", or "a GPU
/// in tf32".
std::string device_text(const Context& context);

class Checkpoint {
 public:
  /// Opens the file at `path`, if any. Throws InvalidArgument naming the options that differ, or
  /// another kind of device or precision; DataError for other data or a damaged file.
  Checkpoint(const Context& context, std::filesystem::path path, const PipelineOptions& options,
             const std::string& fingerprint);

  [[nodiscard]] bool active() const { return !path_.empty(); }
  [[nodiscard]] bool resumed() const { return resumed_; }

  /// The result of a finished stage, which has save(Archive&) and a static load(const Archive&).
  /// store() writes the file and drops the stage's solver state.
  template <class Result>
  void store(const std::string& stage, const Result& result) {
    if (!active()) return;
    Archive saved;
    result.save(saved);
    archive_.remove(solver_of(stage));
    put(stage, saved);
    write();
  }
  template <class Result>
  [[nodiscard]] std::optional<Result> restored(const std::string& stage) const {
    const std::optional<Archive> saved = get(stage);
    if (!saved) return std::nullopt;
    return Result::load(*saved);
  }

  /// The state of an unfinished stage. Writes the file if a write is due; otherwise
  /// write_progress() does.
  void store_state(const std::string& stage, const Archive& state);
  [[nodiscard]] std::optional<Archive> state(const std::string& stage) const;
  void forget_state(const std::string& stage) { archive_.remove(solver_of(stage)); }
  /// Hooks that store a solver's state.
  [[nodiscard]] SolverHooks solver_hooks(const std::string& stage);

  /// The file that holds the features, and the number of images whose features it contains.
  [[nodiscard]] std::filesystem::path features_path() const { return features_path(path_); }
  static std::filesystem::path features_path(const std::filesystem::path& checkpoint) {
    return checkpoint.string() + ".features";
  }
  [[nodiscard]] Index features_done() const;
  void store_features_done(Index images);

  /// Whether enough time has passed since the last write.
  [[nodiscard]] bool due() const;
  /// Writes everything stored since the last write, if there is anything to resume from.
  void write_progress();

 private:
  static std::string solver_of(const std::string& stage) { return stage + "_state"; }
  void put(const std::string& name, const Archive& part);
  [[nodiscard]] std::optional<Archive> get(const std::string& name) const;
  void check(const std::string& options, const std::string& device, const std::string& fingerprint);
  void write();

  std::filesystem::path path_;
  Archive archive_;
  bool resumed_ = false;
  bool writes_ = true;  // of several ranks, the first
  std::chrono::steady_clock::time_point last_write_ = std::chrono::steady_clock::now();
};

/// The fingerprint (image_set.hpp). Of several ranks, the first reads the images: the hash takes
/// them in order.
std::string agreed_fingerprint(const Context& context, const ImageSet& images);

}  // namespace krica
