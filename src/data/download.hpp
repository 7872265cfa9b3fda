// SPDX-License-Identifier: BSD-3-Clause
//
// Downloads public data sets from their publishers and verifies their checksums.
//
//   auto place = download(context, "cifar10", "data/cifar10");
//   DataSet data = open_dataset(context, place);
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "krica/runtime/context.hpp"
#include "krica/runtime/matrix.hpp"

namespace krica {

/// A data set that can be downloaded.
struct DownloadInfo {
  std::string name;         ///< e.g. "cifar10"
  std::string description;  ///< what the images show
  Index images = 0;
  Index megabytes = 0;   ///< download size, in millions of bytes
  std::string licence;   ///< terms of use, as stated by the authors
  std::string citation;  ///< what to cite
  /// Of the directories with the files, in the order to try.
  std::vector<std::string> addresses = {};
  std::vector<std::string> files = {};  ///< to download
};

/// fashion-mnist, mnist, cifar10, stl10, caltech101.
std::vector<DownloadInfo> downloads();

struct DownloadOptions {
  /// A mirror to use instead of the official address, e.g. "file:///mnt/mirror".
  std::string address = {};
};

/// Downloads the set's files into `directory` (created if missing) and unpacks archives. Returns
/// the path for open_dataset(). Valid files that are already there, including files put there by
/// hand, are not downloaded again; an interrupted download (.part) is resumed. Reports bytes
/// through the context, whose cancel() stops it. Throws InvalidArgument for an unknown name,
/// IoError if the network or a file operation fails, DataError if a checksum is wrong.
std::filesystem::path download(const Context& context, std::string_view name,
                               const std::filesystem::path& directory,
                               const DownloadOptions& options = {});

}  // namespace krica
