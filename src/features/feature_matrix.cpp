// SPDX-License-Identifier: BSD-3-Clause
#include "krica/features/feature_matrix.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <new>
#include <system_error>

#include "krica/runtime/error.hpp"
#include "runtime/check.hpp"

namespace krica {
namespace {

std::size_t bytes_of(Index rows, Index cols) {
  require(rows >= 0 && cols >= 0, "features", "a matrix of {} x {}", rows, cols);
  return sizeof(float) * static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
}

[[noreturn]] void fail(const std::filesystem::path& path, std::size_t bytes, int error) {
  throw IoError(fmt::format("[features] cannot keep {} bytes in {}: {}", bytes, path.string(),
                            std::generic_category().message(error)));
}

/// Sizes a file that is open for reading and writing; the caller closes it.
void reserve(int descriptor, const std::filesystem::path& path, std::size_t bytes) {
  const int error = bytes == 0 ? 0 : ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
  if (error == 0) return;
  ::close(descriptor);
  fail(path, bytes, error);
}

/// An unlinked file, which disappears with the process whatever happens.
int unnamed_file(std::size_t bytes) {
  const std::filesystem::path directory = std::filesystem::temp_directory_path();
  std::string name = (directory / "krica-features-XXXXXX").string();
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) fail(directory, bytes, errno);
  ::unlink(name.c_str());
  reserve(descriptor, directory, bytes);
  return descriptor;
}

int named_file(const std::filesystem::path& path, std::size_t bytes) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(path, bytes, errno);
  struct stat info {};
  if (::fstat(descriptor, &info) != 0 || info.st_size != static_cast<off_t>(bytes)) {
    if (::ftruncate(descriptor, 0) != 0) fail(path, bytes, errno);
    reserve(descriptor, path, bytes);
  }
  return descriptor;
}

/// Maps and closes the file; a descriptor of -1 maps plain memory.
std::shared_ptr<float[]> mapped(int descriptor, std::size_t bytes, int sharing) {
  const int flags = descriptor >= 0 ? sharing : MAP_PRIVATE | MAP_ANONYMOUS;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0);
  if (descriptor >= 0) ::close(descriptor);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<float*>(memory), [bytes](float* mapping) { ::munmap(mapping, bytes); }};
}

}  // namespace

FeatureMatrix::FeatureMatrix(const Context& context, Index rows, Index cols)
    : rows_(rows), cols_(cols) {
  const std::size_t bytes = bytes_of(rows, cols);
  on_disk_ = bytes > static_cast<std::size_t>(context.memory_bytes());
  if (bytes > 0) memory_ = mapped(on_disk_ ? unnamed_file(bytes) : -1, bytes, MAP_SHARED);
}

FeatureMatrix::FeatureMatrix(const std::filesystem::path& file, Index rows, Index cols)
    : rows_(rows), cols_(cols), on_disk_(true), file_(file) {
  const std::size_t bytes = bytes_of(rows, cols);
  if (bytes > 0) memory_ = mapped(named_file(file, bytes), bytes, MAP_SHARED);
}

void FeatureMatrix::sync() const {
  const std::size_t bytes = bytes_of(rows_, cols_);
  if (file_.empty() || bytes == 0) return;
  if (::msync(memory_.get(), bytes, MS_SYNC) != 0) fail(file_, bytes, errno);
}

void FeatureMatrix::detach() {
  const std::size_t bytes = bytes_of(rows_, cols_);
  if (file_.empty() || bytes == 0) return;
  sync();
  memory_ = mapped(named_file(file_, bytes), bytes, MAP_PRIVATE);
  file_.clear();
}

}  // namespace krica
