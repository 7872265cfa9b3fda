// SPDX-License-Identifier: BSD-3-Clause
//
// The outputs of commands: checks that they can be written and that nobody else is writing them.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "krica/runtime/error.hpp"
#include "runtime/output_lock.hpp"
#include "session.hpp"

namespace krica::cli {
namespace {

std::vector<OutputLock> held_outputs;

void check_writable(const std::filesystem::path& target, const std::filesystem::path& place) {
  if (::access(place.c_str(), W_OK) == 0) return;
  const std::string reason = std::generic_category().message(errno);
  throw IoError(target == place
                    ? fmt::format("[output] cannot write {}: {}", target.string(), reason)
                    : fmt::format("[output] {}: cannot write in {}: {}", target.string(),
                                  place.string(), reason));
}

}  // namespace

void check_target(const std::filesystem::path& file) {
  if (file.empty() || !is_first_rank()) return;
  const std::filesystem::path directory = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code missing;
  if (!std::filesystem::is_directory(directory, missing)) {
    throw IoError(
        fmt::format("[output] {}: there is no directory {}", file.string(), directory.string()));
  }
  if (std::filesystem::is_directory(file, missing))
    throw IoError(fmt::format("[output] {} is a directory", file.string()));
  // A file is replaced as a whole, which requires write permission in its directory; a
  // write-protected file must still not be replaced.
  if (std::filesystem::exists(file, missing)) check_writable(file, file);
  check_writable(file, directory);
}

void check_target_directory(const std::filesystem::path& directory) {
  std::filesystem::path there = directory.empty() ? "." : std::filesystem::absolute(directory);
  std::error_code missing;
  while (!std::filesystem::exists(there, missing) && there.has_relative_path())
    there = there.parent_path();
  if (!std::filesystem::is_directory(there, missing)) {
    throw IoError(
        fmt::format("[output] {}: {} is not a directory", directory.string(), there.string()));
  }
  check_writable(directory, there);
}

void hold_outputs(const std::vector<std::filesystem::path>& outputs) {
  for (const std::filesystem::path& output : outputs) {
    if (!output.empty() && is_first_rank()) held_outputs.emplace_back(output);
  }
}

void release_outputs() { held_outputs.clear(); }

}  // namespace krica::cli
