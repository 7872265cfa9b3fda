// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/atomic_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
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
constexpr std::size_t kDigits = 16;

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
    temporary = path.string() + fmt::format("{}{:0{}x}", kEnding, number, kDigits);
    const int descriptor =
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor >= 0) return descriptor;
    if (errno != EEXIST) break;
  }
  io_error(operation, path, "cannot create", errno);
}

/// Whether a file in the directory has the form of a temporary file for `name`. Anything else with
/// a similar name belongs to the user.
bool is_temporary(const std::string& found, const std::string& name) {
  const std::string start = name + std::string(kEnding);
  return found.starts_with(start) && found.size() == start.size() + kDigits &&
         found.find_first_not_of("0123456789abcdef", start.size()) == std::string::npos;
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
  std::vector<std::string> names;
  try {
    names = names_in_directory(directory_of(path));
  } catch (const std::system_error&) {
    return;  // leftovers do no harm
  }
  for (const std::string& name : names) {
    const std::filesystem::path leftover = directory_of(path) / name;
    struct stat info {};
    if (is_temporary(name, path.filename().string()) && ::lstat(leftover.c_str(), &info) == 0 &&
        S_ISREG(info.st_mode))
      ::unlink(leftover.c_str());
  }
}

void sync_directory(const std::filesystem::path& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

void create_directories_durably(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> missing;
  for (auto path = directory; !path.empty() && !std::filesystem::exists(path);
       path = path.parent_path())
    missing.push_back(path);
  std::filesystem::create_directories(directory);
  for (const std::filesystem::path& created : missing) sync_directory(directory_of(created));
}

std::vector<std::string> names_in_directory(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(directory.c_str()), ::closedir);
  const auto check = [](bool good) {
    if (!good) throw std::system_error(errno, std::generic_category());
  };
  check(listing != nullptr);
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(listing.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  check(errno == 0);
  return names;
}

std::filesystem::path directory_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

}  // namespace krica
