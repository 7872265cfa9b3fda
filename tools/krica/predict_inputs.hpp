// SPDX-License-Identifier: BSD-3-Clause
//
// The inputs of krica predict: image files, folders of them, and data sets, in rounds that fit in
// memory.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "krica/data/dataset.hpp"
#include "krica/models/model.hpp"

namespace krica::cli {

/// Items with their names, prepared for the model.
struct Round {
  ImageSetPtr images;
  std::vector<std::string> names;
};

struct FailedInput {
  std::string item;
  std::string reason;
  bool file_system = false;  ///< a file operation failed, as opposed to bad content
};

class PredictInputs {
 public:
  /// Examines every path: a directory that is not a data set means the image files in it and its
  /// subdirectories. `split` is the part of data sets that have several: "train", "test", or "auto"
  /// for the test part if there is one. Anything that cannot be opened becomes a failure.
  PredictInputs(const Context& context, const Model& model,
                const std::vector<std::filesystem::path>& paths, DataFormat format,
                const std::string& split);

  [[nodiscard]] Index size() const;

  /// Calls visit for one round after another; files that cannot be read are skipped and become
  /// failures.
  void for_rounds(const std::function<void(const Round&)>& visit);

  [[nodiscard]] const std::vector<FailedInput>& failures() const { return failures_; }

 private:
  /// Either image files or a data set.
  struct Input {
    std::vector<std::filesystem::path> files;
    ImageSetPtr set;
    std::string prefix;  // of the names of the set's items
  };
  void add(const std::filesystem::path& path, DataFormat format, const std::string& split,
           bool several);
  void add_file(const std::filesystem::path& path);
  void visit_files(const Input& input, const std::function<void(const Round&)>& visit);
  void visit_set(const Input& input, const std::function<void(const Round&)>& visit) const;
  void note_failure(const std::filesystem::path& path, const std::exception& error,
                    bool file_system);
  [[nodiscard]] Index round_size() const;

  const Context& context_;
  const Model& model_;
  std::vector<Input> inputs_;
  std::vector<FailedInput> failures_;
};

}  // namespace krica::cli
