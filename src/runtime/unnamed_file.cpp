// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/unnamed_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "krica/runtime/error.hpp"

namespace krica {
namespace {

std::filesystem::path temporary_directory(std::string_view operation) {
  std::error_code error;
  std::filesystem::path directory = std::filesystem::temp_directory_path(error);
  if (!error) return directory;
  const char* const set = std::getenv("TMPDIR");
  throw IoError(fmt::format("[{}] {}: no directory for temporary files: {}; set TMPDIR to one",
                            operation, set == nullptr ? "/tmp" : set, error.message()));
}

}  // namespace

int open_unnamed_file(std::string_view operation, std::size_t bytes) {
  std::string name = (temporary_directory(operation) / "krica-XXXXXX").string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) no_room_in_temporary_directory(operation, bytes, errno);
  ::unlink(name.c_str());
  return descriptor;
}

void no_room_in_temporary_directory(std::string_view operation, std::size_t bytes, int error) {
  throw IoError(fmt::format(
      "[{}] cannot keep {} bytes in {}: {}; free some space, or set TMPDIR to a larger directory",
      operation, bytes, temporary_directory(operation).string(),
      std::generic_category().message(error)));
}

}  // namespace krica
