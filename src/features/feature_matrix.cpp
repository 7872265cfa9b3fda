// SPDX-License-Identifier: BSD-3-Clause
#include "krica/features/feature_matrix.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <tuple>
#include <utility>

#include "krica/runtime/error.hpp"
#include "runtime/check.hpp"
#include "runtime/large_matrix.hpp"
#include "runtime/own_file.hpp"

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

int named_file(const std::filesystem::path& path, std::size_t bytes) {
  const int descriptor = open_own_file("features", path, O_RDWR | O_CREAT);
  struct stat info {};
  if (::fstat(descriptor, &info) != 0 || info.st_size != static_cast<off_t>(bytes)) {
    if (::ftruncate(descriptor, 0) != 0) fail(path, bytes, errno);
    reserve(descriptor, path, bytes);
  }
  return descriptor;
}

void read_file(const std::filesystem::path& path, float* to, std::size_t bytes) {
  constexpr std::size_t kAtATime = std::size_t{16} << 20;
  const int descriptor = open_own_file("features", path, O_RDONLY);
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t count =
        ::read(descriptor, reinterpret_cast<char*>(to) + done, std::min(kAtATime, bytes - done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int error = count < 0 ? errno : EIO;
      ::close(descriptor);
      fail(path, bytes, error);
    }
    done += static_cast<std::size_t>(count);
    release_pages();
  }
  ::close(descriptor);
}

}  // namespace

FeatureMatrix::FeatureMatrix(const Context& context, Index rows, Index cols)
    : rows_(rows), cols_(cols) {
  std::tie(memory_, on_disk_) = large_memory(context, bytes_of(rows, cols));
}

FeatureMatrix::FeatureMatrix(const Context& context, const std::filesystem::path& file, Index rows,
                             Index cols)
    : rows_(rows), cols_(cols), on_disk_(true), file_(file) {
  const std::size_t bytes = bytes_of(rows, cols);
  if (bytes > 0) memory_ = map_file(context, named_file(file, bytes), bytes);
}

void FeatureMatrix::sync() const {
  const std::size_t bytes = bytes_of(rows_, cols_);
  if (file_.empty() || bytes == 0) return;
  if (::msync(memory_.get(), bytes, MS_SYNC) != 0) fail(file_, bytes, errno);
}

void FeatureMatrix::detach(const Context& context) {
  const std::size_t bytes = bytes_of(rows_, cols_);
  if (file_.empty() || bytes == 0) return;
  sync();
  memory_.reset();  // before the copy is made: the two would take twice the memory
  std::tie(memory_, on_disk_) = large_memory(context, bytes);
  read_file(file_, memory_.get(), bytes);
  file_.clear();
}

}  // namespace krica
