// SPDX-License-Identifier: BSD-3-Clause
#include "data/listing.hpp"

#include <algorithm>
#include <system_error>

#include "data/errors.hpp"

namespace krica {

Listing list_directory(const std::string& operation, const std::filesystem::path& path) {
  Listing listing;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.starts_with('.')) continue;
    std::error_code ignored;  // a dangling link is neither
    if (entry->is_directory(ignored)) {
      listing.directories.push_back(std::move(name));
    } else if (entry->is_regular_file(ignored)) {
      listing.files.push_back(std::move(name));
    }
  }
  if (error) io_error(operation, path, "cannot list", error.value());
  std::sort(listing.files.begin(), listing.files.end());
  std::sort(listing.directories.begin(), listing.directories.end());
  return listing;
}

}  // namespace krica
