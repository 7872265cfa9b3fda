// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/download.hpp"

namespace krica {

struct RemoteFile {
  std::string name;
  std::string md5;
};

/// A data set as published.
struct RemoteSet {
  DownloadInfo info;
  std::vector<std::string> addresses;  // tried in order; the file name is appended
  std::vector<RemoteFile> files;
  std::string inner_archive = {};  // an archive inside the first file, to be unpacked too
  std::string unpacked = {};       // the directory created by unpacking; empty: nothing to unpack
};

/// All sets that can be downloaded (remote_set.cpp).
std::vector<RemoteSet> remote_sets();

/// download() for any set.
std::filesystem::path download_set(const Context& context, const RemoteSet& set,
                                   const std::filesystem::path& directory);

}  // namespace krica
