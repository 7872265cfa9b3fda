// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/own_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "krica/runtime/error.hpp"
#include "runtime/io_error.hpp"

namespace krica {
namespace {

[[noreturn]] void refuse(std::string_view operation, const std::filesystem::path& path,
                         std::string_view what) {
  throw IoError(
      fmt::format("[{}] {}: {}; krica only writes to a file of its own there, so remove it "
                  "or move it away",
                  operation, path.string(), what));
}

void check(const std::string& operation, const std::filesystem::path& path,
           const struct stat& info) {
  if (S_ISLNK(info.st_mode)) refuse(operation, path, "is a symbolic link");
  if (!S_ISREG(info.st_mode)) refuse(operation, path, "is not a regular file");
  if (info.st_nlink > 1) refuse(operation, path, "has other names, too (hard links)");
}

}  // namespace

int open_own_file(const std::string& operation, const std::filesystem::path& path, int flags) {
  // Without O_NONBLOCK, opening a named pipe would wait for its other end.
  const int descriptor = ::open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    const int reason = errno;
    if (reason != EACCES) require_own_file(operation, path);  // says what is there instead
    io_error(operation, path, "cannot create or open", reason);
  }
  try {
    struct stat info {};
    if (::fstat(descriptor, &info) != 0) io_error(operation, path, "cannot open", errno);
    check(operation, path, info);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  return descriptor;
}

void require_own_file(const std::string& operation, const std::filesystem::path& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0) check(operation, path, info);
}

}  // namespace krica
