// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/io_error.hpp"

namespace krica {
namespace {

constexpr int kMostAttempts = 100;
constexpr std::string_view kEnding = ".tmp-";

/// Opens a new file next to `path` under an unpredictable name, so that nothing, such as a link,
/// can be placed there in advance. mkstemp() would restrict it to the user; this one has the
/// permissions of any new file.
int open_beside(const std::string& operation, const std::filesystem::path& path,
                std::filesystem::path& temporary) {
  // The system would read the path only up to the zero byte.
  if (path.native().find('\0') != std::string::npos) {
    io_error(operation, path.native().substr(0, path.native().find('\0')),
             "cannot create: the name contains a zero byte", EINVAL);
  }
  std::random_device random;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    const std::uint64_t number = std::uint64_t{random()} << 32 | random();
    temporary = path.string() + fmt::format("{}{:016x}", kEnding, number);
    const int descriptor =
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor >= 0) return descriptor;
    if (errno != EEXIST) break;
  }
  io_error(operation, path, "cannot create", errno);
}

}  // namespace

AtomicFile::AtomicFile(std::string operation, std::filesystem::path path)
    : operation_(std::move(operation)),
      path_(std::move(path)),
      descriptor_(open_beside(operation_, path_, temporary_)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::write(const void* data, std::size_t size) {
  const auto* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(descriptor_, next, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) io_error(operation_, path_, "cannot write", errno);
    next += written;
    size -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::write_at(std::size_t offset, const void* data, std::size_t size) {
  krica::write_at(operation_, path_, descriptor_, offset, data, size);
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) io_error(operation_, path_, "cannot sync", errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
    io_error(operation_, path_, "cannot put in place", errno);
  ::close(std::exchange(descriptor_, -1));
  sync_directory(directory_of(path_));
}

void write_at(const std::string& operation, const std::filesystem::path& path, int descriptor,
              std::size_t offset, const void* data, std::size_t size) {
  const auto* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::pwrite(descriptor, next, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) io_error(operation, path, "cannot write", errno);
    next += written;
    offset += static_cast<std::size_t>(written);
    size -= static_cast<std::size_t>(written);
  }
}

void remove_leftovers(const std::filesystem::path& path) {
  const std::string name = path.filename().string() + std::string(kEnding);
  std::vector<std::filesystem::path> leftovers;
  std::error_code error;  // files that cannot be listed or removed do no harm
  for (std::filesystem::directory_iterator entry(directory_of(path), error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string().starts_with(name)) leftovers.push_back(entry->path());
  }
  for (const std::filesystem::path& leftover : leftovers) std::filesystem::remove(leftover, error);
}

void sync_directory(const std::filesystem::path& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

std::filesystem::path directory_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

}  // namespace krica
