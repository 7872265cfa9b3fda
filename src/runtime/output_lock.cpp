// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/output_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "krica/runtime/error.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/own_file.hpp"

namespace krica {
namespace {

/// Whether the path still refers to the open file: its last owner may have removed it in the
/// meantime.
bool is_in_place(int descriptor, const std::filesystem::path& file) {
  struct stat opened {};
  struct stat there {};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(file.c_str(), &there) == 0 &&
         opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
}

/// krica writes nothing to a lock: a file with content is not one, and is not to be removed.
void require_empty(int descriptor, const std::filesystem::path& file) {
  struct stat info {};
  if (::fstat(descriptor, &info) == 0 && info.st_size == 0) return;
  ::close(descriptor);
  throw IoError(
      fmt::format("[output] {}: is not a lock of krica's, which would be empty; move it away, or "
                  "choose another output",
                  file.string()));
}

/// A descriptor that holds the lock, or none if the file system does not support locks.
int locked(const std::filesystem::path& output, const std::filesystem::path& file) {
  while (true) {
    const int descriptor = open_own_file("output", file, O_RDWR | O_CREAT);
    require_empty(descriptor, file);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(descriptor);
      throw IoError(
          fmt::format("[output] another process is writing {}; wait until it is done, or choose "
                      "another output",
                      output.string()));
    }
    if (is_in_place(descriptor, file)) return descriptor;
    ::close(descriptor);
  }
}

}  // namespace

OutputLock::OutputLock(const std::filesystem::path& output)
    : file_(output.string() + ".lock"), descriptor_(locked(output, file_)) {
  remove_leftovers(output);
}

OutputLock::OutputLock(OutputLock&& other) noexcept
    : file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputLock::~OutputLock() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());  // before others can lock it
  ::close(descriptor_);
}

}  // namespace krica
