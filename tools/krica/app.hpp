// SPDX-License-Identifier: BSD-3-Clause
//
// The command `krica`.
#pragma once

#include <array>

namespace krica::cli {

struct ExitStatus {
  int code;
  const char* meaning;
};

inline constexpr std::array<ExitStatus, 6> kExitStatuses = {{
    {0, "success"},
    {1, "an internal error"},
    {2, "wrong usage: an unknown option or a value that is not allowed"},
    {3, "bad data: a damaged file, data that do not fit the options or the model"},
    {4, "the file system, the network or the memory refused"},
    {130, "interrupted by Ctrl-C or SIGTERM; what was done is kept"},
}};

int run(int argc, char** argv);

}  // namespace krica::cli
