// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/atomic_file.hpp"
#include "runtime/io_error.hpp"

namespace krica {
namespace {

/// A file open for reading.
class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) io_error("file", path, "cannot open", errno);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(descriptor_); }
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  const Descriptor file(path);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) io_error("file", path, "cannot read", errno);
  if (S_ISDIR(info.st_mode)) io_error("file", path, "cannot read", EISDIR);
  std::string content(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t got = ::read(file.get(), content.data() + done, content.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) io_error("file", path, "cannot read", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  content.resize(done);
  return content;
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  AtomicFile file("file", path);
  file.write(content.data(), content.size());
  file.commit();
}

}  // namespace krica
