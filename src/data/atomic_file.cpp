// SPDX-License-Identifier: BSD-3-Clause
#include "data/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

#include "data/errors.hpp"

namespace krica {
namespace {

std::atomic<int> file_number{0};

}  // namespace

AtomicFile::AtomicFile(std::string operation, std::filesystem::path path)
    : operation_(std::move(operation)), path_(std::move(path)), temporary_(path_) {
  temporary_ += fmt::format(".tmp{}-{}", ::getpid(), file_number++);
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) io_error(operation_, path_, "cannot create", errno);
}

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

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) io_error(operation_, path_, "cannot sync", errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
    io_error(operation_, path_, "cannot put in place", errno);
  ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace krica
