// SPDX-License-Identifier: BSD-3-Clause
//
// The image files of a folder: which are readable, skipped or corrupt.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "data/decoding_room.hpp"
#include "data/folder_listing.hpp"
#include "krica/data/dataset.hpp"
#include "krica/data/image.hpp"

namespace krica {

/// Larger files are rejected.
constexpr Index kLargestImageFile = Index{1} << 30;

/// Examines the files of a folder and collects unreadable ones, so that all are reported at once.
/// Ranks that share rows examine a share each; all get the same results.
class FolderScan {
 public:
  FolderScan(const Context& context, const OpenOptions& options)
      : context_(context), options_(options), room_(context) {}

  /// The images of a part, with their shapes. With skip_bad every file is decoded once, because
  /// only that detects truncation.
  std::vector<ImageFile> keep_images(ListedPart part);

  /// Throws DataError for unreadable files, unless skip_bad skips them, and for directories without
  /// images. Returns notes on what was skipped.
  [[nodiscard]] std::vector<std::string> finish() const;

 private:
  struct Verdict;
  [[nodiscard]] std::vector<Verdict> judge_all(const std::vector<const ImageFile*>& files);
  [[nodiscard]] Verdict judge(const ImageFile& file);
  void look_at_header(const EncodedImage& image, Verdict& verdict) const;
  void keep_images(ListedDirectory directory, const Verdict* verdicts,
                   std::vector<ImageFile>& images);

  const Context& context_;
  const OpenOptions& options_;
  DecodingRoom room_;
  std::map<std::string, Index> skipped_;  // by extension
  std::vector<std::string> bad_;          // name: what is wrong
  std::vector<std::string> empty_;        // messages
};

}  // namespace krica
