// SPDX-License-Identifier: BSD-3-Clause
//
// Getting public data sets from where they are published, with their checksums.
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

/// A data set that can be fetched.
struct DownloadInfo {
  std::string name;         ///< e.g. "cifar10"
  std::string description;  ///< what the images are
  Index images = 0;
  Index megabytes = 0;                      ///< to fetch, in millions of bytes
  std::string licence;                      ///< what its authors say of its use
  std::string citation;                     ///< whom to cite
  std::vector<std::string> addresses = {};  ///< of the files' directories; the first is tried first
  std::vector<std::string> files = {};      ///< to fetch
};

/// fashion-mnist, mnist, cifar10, stl10, caltech101.
std::vector<DownloadInfo> downloads();

struct DownloadOptions {
  /// Where the files lie instead of their official address: a mirror, e.g. "file:///mnt/mirror".
  std::string address = {};
};

/// Fetches the set's files into `directory` (made where it is missing) and unpacks archives. Gives
/// the path for open_dataset(). What is there already and sound is not fetched again, so a file may
/// also be put there by hand; an interrupted file (.part) is continued. Reports bytes through the
/// context, whose cancel() stops it. Throws InvalidArgument for an unknown name, IoError where the
/// network or the file system refuses, DataError where a file's checksum is wrong.
std::filesystem::path download(const Context& context, std::string_view name,
                               const std::filesystem::path& directory,
                               const DownloadOptions& options = {});

}  // namespace krica
