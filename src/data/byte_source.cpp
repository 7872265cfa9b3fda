// SPDX-License-Identifier: BSD-3-Clause
#include "data/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "data/errors.hpp"

namespace krica {
namespace {

constexpr Index kTextLimit = Index{16} << 20;

[[noreturn]] void past_the_end(const ByteSource& source, Index offset, Index count) {
  data_error(source.operation(), source.name(),
             "truncated: {} bytes at offset {} are needed, the file has {}", count, offset,
             source.size());
}

class FileSource : public ByteSource {
 public:
  /// `path`: for the system's errors.
  FileSource(std::string operation, std::string name, std::filesystem::path path, int descriptor,
             Index size)
      : ByteSource(std::move(operation), std::move(name)),
        path_(std::move(path)),
        descriptor_(descriptor),
        size_(size) {}
  ~FileSource() override { ::close(descriptor_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  [[nodiscard]] Index size() const override { return size_; }

  void read(Index offset, Index count, void* out) const override {
    if (offset < 0 || count < 0 || offset > size_ - count) past_the_end(*this, offset, count);
    auto* target = static_cast<std::uint8_t*>(out);
    while (count > 0) {
      const ssize_t got = ::pread(descriptor_, target, static_cast<std::size_t>(count), offset);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) io_error(operation(), path_, "cannot read", errno);
      if (got == 0) {
        data_error(operation(), name(), "the file shrank while it was being read");
      }
      target += got;
      offset += got;
      count -= got;
    }
  }

 private:
  std::filesystem::path path_;
  int descriptor_;
  Index size_;
};

class StaticSource : public ByteSource {
 public:
  StaticSource(std::string operation, std::string name, std::span<const std::uint8_t> bytes)
      : ByteSource(std::move(operation), std::move(name)), bytes_(bytes) {}

  [[nodiscard]] Index size() const override { return static_cast<Index>(bytes_.size()); }

  void read(Index offset, Index count, void* out) const override {
    if (offset < 0 || count < 0 || offset > size() - count) past_the_end(*this, offset, count);
    if (count > 0) std::memcpy(out, bytes_.data() + offset, static_cast<std::size_t>(count));
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

class MemorySource : public StaticSource {
 public:
  MemorySource(std::string operation, std::string name, Bytes bytes)
      : StaticSource(std::move(operation), std::move(name), bytes), bytes_(std::move(bytes)) {}

 private:
  Bytes bytes_;  // moving a vector keeps its memory in place
};

thread_local OpenedFiles* opened_files = nullptr;

}  // namespace

OpenedFiles::OpenedFiles() : outer_(std::exchange(opened_files, this)) {}
OpenedFiles::~OpenedFiles() { opened_files = outer_; }

ByteSourcePtr open_file(std::string operation, const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) io_error(operation, path, "cannot open", errno);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    throw IoError(fmt::format("[{}] {}: not a regular file", operation, path.string()));
  }
  const std::string name = path.filename().string();
  if (opened_files != nullptr) opened_files->files_.push_back({name, status.st_size});
  return std::make_shared<FileSource>(std::move(operation), name, path, descriptor, status.st_size);
}

ByteSourcePtr unnamed_source(std::string operation, std::string name, int descriptor, Index size) {
  return std::make_shared<FileSource>(std::move(operation), name, name, descriptor, size);
}

ByteSourcePtr memory_source(std::string operation, std::string name, Bytes bytes) {
  return std::make_shared<MemorySource>(std::move(operation), std::move(name), std::move(bytes));
}

ByteSourcePtr static_source(std::string operation, std::string name,
                            std::span<const std::uint8_t> bytes) {
  return std::make_shared<StaticSource>(std::move(operation), std::move(name), bytes);
}

bool is_gzip(const ByteSource& source) {
  std::array<std::uint8_t, 2> magic{};
  if (source.size() < 2) return false;
  source.read(0, 2, magic.data());
  return magic[0] == 0x1f && magic[1] == 0x8b;
}

Bytes read_all(const ByteSource& source, Index limit) {
  if (source.size() > limit) {
    data_error(source.operation(), source.name(), "{} bytes, but such a file may have at most {}",
               source.size(), limit);
  }
  Bytes bytes(static_cast<std::size_t>(source.size()));
  source.read(0, source.size(), bytes.data());
  return bytes;
}

std::vector<std::string> read_lines(const std::string& operation,
                                    const std::filesystem::path& path) {
  const Bytes bytes = read_all(*open_file(operation, path), kTextLimit);
  std::vector<std::string> lines;
  auto begin = bytes.begin();
  while (begin != bytes.end()) {
    const auto end = std::find(begin, bytes.end(), '\n');
    std::string line(begin, end);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) lines.push_back(std::move(line));
    begin = end == bytes.end() ? end : end + 1;
  }
  return lines;
}

Index checked_product(Index a, Index b) {
  Index product = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) return -1;
  return product;
}

}  // namespace krica
