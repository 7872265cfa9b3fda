// SPDX-License-Identifier: BSD-3-Clause
#include "data/workplace.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "data/errors.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/own_file.hpp"

namespace krica {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = ".krica-unfinished";

bool is_own(const fs::path& directory) {
  return fs::is_directory(fs::symlink_status(directory)) &&
         (fs::is_empty(directory) ||  // killed before the mark was made, or after it was removed
          fs::is_regular_file(fs::symlink_status(directory / kMark)));
}

void remove_workplace(const fs::path& directory) {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    if (entry.path().filename() != kMark) fs::remove_all(entry.path());
  }
  fs::remove_all(directory);  // the mark last: killed meanwhile, it is still known
}

}  // namespace

Workplace::Workplace(std::string operation, fs::path directory)
    : operation_(std::move(operation)), directory_(std::move(directory)) {
  if (!remove_unfinished(operation_, directory_)) {
    throw IoError(fmt::format(
        "[{}] {}: is in the way, and nothing says that krica left it there unfinished; move it "
        "away, or remove it",
        operation_, directory_.string()));
  }
  with_io_errors(operation_, [&] {
    if (!fs::create_directory(directory_))
      io_error(operation_, directory_, "cannot create", EEXIST);
  });
  ::close(open_own_file(operation_, directory_ / kMark, O_WRONLY | O_CREAT | O_EXCL));
  sync_directory(directory_);  // the mark must outlast a power cut if anything else does
}

void Workplace::remove() const {
  with_io_errors(operation_, [&] { remove_workplace(directory_); });
}

bool remove_unfinished(const std::string& operation, const fs::path& directory) {
  return with_io_errors(operation, [&] {
    if (!fs::exists(fs::symlink_status(directory))) return true;
    if (!is_own(directory)) return false;
    remove_workplace(directory);
    return true;
  });
}

}  // namespace krica
