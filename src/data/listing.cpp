// SPDX-License-Identifier: BSD-3-Clause
#include "data/listing.hpp"

#include <algorithm>
#include <system_error>

#include "data/errors.hpp"
#include "runtime/atomic_file.hpp"

namespace krica {

Listing list_directory(const std::string& operation, const std::filesystem::path& path) {
  Listing listing;
  std::vector<std::string> names;
  try {
    names = names_in_directory(path);
  } catch (const std::system_error& error) {
    io_error(operation, path, "cannot list", error.code().value());
  }
  for (std::string& name : names) {
    if (name.starts_with('.')) continue;
    std::error_code ignored;  // a dangling link is neither
    const std::filesystem::file_status status = std::filesystem::status(path / name, ignored);
    if (std::filesystem::is_directory(status)) {
      listing.directories.push_back(std::move(name));
    } else if (std::filesystem::is_regular_file(status)) {
      listing.files.push_back(std::move(name));
    }
  }
  std::sort(listing.files.begin(), listing.files.end());
  std::sort(listing.directories.begin(), listing.directories.end());
  return listing;
}

}  // namespace krica
