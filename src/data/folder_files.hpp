// SPDX-License-Identifier: BSD-3-Clause
//
// The image files of a folder: which are readable, skipped or corrupt.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "krica/data/dataset.hpp"
#include "krica/data/image.hpp"

namespace krica {

struct ImageFile {
  std::filesystem::path path;
  std::string name;  // for messages: class/file
  int label = 0;
  ImageShape shape = {};
};

/// Larger files are rejected.
constexpr Index kLargestImageFile = Index{1} << 30;

/// Examines files, directory by directory, and collects unreadable ones, so that all are reported
/// at once.
class FolderScan {
 public:
  FolderScan(const Context& context, const OpenOptions& options)
      : context_(context), options_(options) {}

  [[nodiscard]] const Context& context() const { return context_; }

  /// The images among `files`, all from `directory`, with their shapes. With skip_bad every file is
  /// decoded once, because only that detects truncation.
  std::vector<ImageFile> keep_images(const std::filesystem::path& directory,
                                     std::vector<ImageFile> files);

  /// Files and directories that do not fit the layout.
  void ignore(std::size_t count, std::string_view one, std::string_view several);

  /// Throws DataError for unreadable files, unless skip_bad skips them, and for directories without
  /// images. Returns notes on what was skipped.
  [[nodiscard]] std::vector<std::string> finish() const;

 private:
  struct Verdict;
  [[nodiscard]] Verdict judge(const ImageFile& file) const;

  const Context& context_;
  const OpenOptions& options_;
  std::map<std::string, Index> skipped_;  // by extension
  std::vector<std::string> bad_;          // name: what is wrong
  std::vector<std::string> empty_;        // messages
  std::vector<std::string> ignored_;      // notes
};

}  // namespace krica
