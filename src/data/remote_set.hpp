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

/// A data set as it is published.
struct RemoteSet {
  DownloadInfo info;
  std::vector<std::string> addresses;  // tried in order; the file's name follows
  std::vector<RemoteFile> files;
  std::string inner_archive = {};  // an archive inside the first file, to be unpacked as well
  std::string unpacked = {};       // the directory that unpacking gives; empty: nothing to unpack
};

/// All sets that can be fetched (remote_set.cpp).
std::vector<RemoteSet> remote_sets();

/// download() of any set.
std::filesystem::path download_set(const Context& context, const RemoteSet& set,
                                   const std::filesystem::path& directory);

}  // namespace krica
