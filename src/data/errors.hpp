// SPDX-License-Identifier: BSD-3-Clause
//
// Uniform error messages: "[operation] file: what is wrong, and what helps".
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "krica/runtime/error.hpp"
#include "runtime/io_error.hpp"
#include "runtime/nearest.hpp"

namespace krica {

template <class... Args>
[[noreturn]] void data_error(std::string_view operation, std::string_view file,
                             fmt::format_string<Args...> message, Args&&... args) {
  throw DataError(fmt::format("[{}] {}: {}", operation, file,
                              fmt::format(message, std::forward<Args>(args)...)));
}

/// For data that does not exist: suggests file names and other valid words.
[[noreturn]] inline void no_such_data(const std::filesystem::path& path) {
  throw IoError(fmt::format("[data] {}: cannot open: {}{}", path.string(),
                            std::generic_category().message(ENOENT),
                            did_you_mean_file(path, {"embedded"})));
}

/// Runs `body`; converts exceptions of std::filesystem to IoError.
template <class Body>
auto with_io_errors(std::string_view operation, Body&& body) {
  try {
    return body();
  } catch (const std::filesystem::filesystem_error& error) {
    throw IoError(
        fmt::format("[{}] {}: {}", operation, error.path1().string(), error.code().message()));
  }
}

}  // namespace krica
