// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/results.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "data/errors.hpp"
#include "krica/runtime/library.hpp"
#include "models/checkpoint.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/digest.hpp"
#include "runtime/file.hpp"
#include "runtime/own_file.hpp"

namespace krica {
namespace {

constexpr std::size_t kKeyDigits = 24;

/// Appends complete content to a file and syncs it.
void append_synced(const std::filesystem::path& path, std::string_view content) {
  const int file = open_own_file("results", path, O_WRONLY | O_CREAT | O_APPEND);
  int failure = 0;
  while (!content.empty() && failure == 0) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written >= 0) content.remove_prefix(static_cast<std::size_t>(written));
    if (written < 0 && errno != EINTR) failure = errno;
  }
  if (failure == 0 && ::fsync(file) != 0) failure = errno;
  ::close(file);
  if (failure != 0) io_error("results", path, "cannot write", failure);
}

}  // namespace

std::string RowIdentity::key() const {
  nlohmann::json all = {experiment, group, system,  value,     split,
                        seed,       data,  options, version(), kCheckpointLayout};
  if (!device.empty()) all.push_back(device);
  return sha256_of({all.dump()}).substr(0, kKeyDigits);
}

ResultsFile::ResultsFile(std::filesystem::path path) : path_(std::move(path)) {
  with_io_errors("results", [&] { create_directories_durably(directory_of(path_)); });
  require_own_file("results", path_);
  if (!std::filesystem::exists(path_)) return;
  const std::string content = read_file(path_);
  std::size_t begin = 0;
  for (std::size_t end = content.find('\n'); end != std::string::npos;
       end = content.find('\n', begin)) {
    const std::string where = fmt::format("{}, line {}", path_.string(), rows_.size() + 1);
    rows_.push_back(row_from_json(content.substr(begin, end - begin), where));
    begin = end + 1;
  }
  if (begin < content.size()) std::filesystem::resize_file(path_, begin);
}

const ResultRow* ResultsFile::find(const std::string& key) const {
  const auto row =
      std::find_if(rows_.begin(), rows_.end(), [&](const ResultRow& r) { return r.key == key; });
  return row == rows_.end() ? nullptr : &*row;
}

void ResultsFile::append(ResultRow row) {
  append_synced(path_, to_json(row) + "\n");
  rows_.push_back(std::move(row));
}

void ResultsFile::forget_failures() {
  std::erase_if(rows_, [](const ResultRow& row) { return row.failed(); });
  std::string content;
  for (const ResultRow& row : rows_) content += to_json(row) + "\n";
  write_file_atomically(path_, content);
}

}  // namespace krica
