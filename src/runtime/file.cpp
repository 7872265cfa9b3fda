// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "krica/runtime/error.hpp"

namespace krica {
namespace {

[[noreturn]] void fail(std::string_view what, const std::filesystem::path& path, int error) {
  throw IoError(fmt::format("[file] cannot {} {}: {}", what, path.string(),
                            std::generic_category().message(error)));
}

/// An open file descriptor.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags, std::string_view what)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) fail(what, path, errno);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(descriptor_); }
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

void write_all(const Descriptor& file, std::string_view content,
               const std::filesystem::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", path, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file.get()) != 0) fail("sync", path, errno);
}

/// Makes the rename itself durable. Some file systems cannot sync a directory; the content is safe
/// anyway.
void sync_directory(const std::filesystem::path& directory) {
  const Descriptor handle(directory, O_RDONLY | O_DIRECTORY, "open");
  ::fsync(handle.get());
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  const Descriptor file(path, O_RDONLY, "open");
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) fail("read", path, errno);
  if (S_ISDIR(info.st_mode)) fail("read", path, EISDIR);
  std::string content(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t got = ::read(file.get(), content.data() + done, content.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  content.resize(done);
  return content;
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path temporary = path.string() + fmt::format(".tmp{}", ::getpid());
  try {
    {
      const Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC, "create");
      write_all(file, content, temporary);
    }
    if (::rename(temporary.c_str(), path.c_str()) != 0) fail("replace", path, errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_directory(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."));
}

}  // namespace krica
