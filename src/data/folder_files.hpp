// SPDX-License-Identifier: BSD-3-Clause
//
// The image files of a folder: which can be read, which are skipped and which are broken.
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

/// Larger files are refused.
constexpr Index kLargestImageFile = Index{1} << 30;

/// Looks at files, directory by directory, and remembers what cannot be read, so that all of it is
/// reported at once.
class FolderScan {
 public:
  FolderScan(const Context& context, const OpenOptions& options)
      : context_(context), options_(options) {}

  /// Those of `files`, all of `directory`, that are images, with their shapes. With skip_bad every
  /// file is decoded once, because truncation shows no sooner.
  std::vector<ImageFile> keep_images(const std::filesystem::path& directory,
                                     std::vector<ImageFile> files);

  /// Files and directories that the layout has no place for.
  void ignore(std::size_t count, std::string_view one, std::string_view several);

  /// Throws DataError for files that cannot be read, unless skip_bad leaves them out, and for
  /// directories without images. Gives the notes on what was skipped.
  std::vector<std::string> finish() const;

 private:
  struct Verdict;
  Verdict judge(const ImageFile& file) const;

  const Context& context_;
  const OpenOptions& options_;
  std::map<std::string, Index> skipped_;  // by ending
  std::vector<std::string> bad_;          // name: what is wrong
  std::vector<std::string> empty_;        // messages
  std::vector<std::string> ignored_;      // notes
};

}  // namespace krica
