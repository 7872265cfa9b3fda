// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace krica {

/// Names in a directory, sorted by bytes, without hidden files.
struct Listing {
  std::vector<std::string> files;
  std::vector<std::string> directories;
};

/// Throws IoError if the directory cannot be read.
Listing list_directory(const std::string& operation, const std::filesystem::path& path);

}  // namespace krica
