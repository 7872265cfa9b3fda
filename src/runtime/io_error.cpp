// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/io_error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "krica/runtime/error.hpp"
#include "runtime/nearest.hpp"

namespace krica {

void io_error(std::string_view operation, const std::filesystem::path& path,
              std::string_view action, int code) {
  throw IoError(fmt::format("[{}] {}: {}: {}{}", operation, path.string(), action,
                            std::generic_category().message(code),
                            code == ENOENT ? did_you_mean_file(path) : ""));
}

}  // namespace krica
