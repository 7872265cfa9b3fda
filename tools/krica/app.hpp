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
    {2, "invalid usage: an unknown option or a value that is not allowed"},
    {3, "invalid data: a damaged file, or data that does not fit the options or the model"},
    {4, "a file operation or the network failed, or memory ran out"},
    {130, "interrupted by Ctrl-C or SIGTERM; what was done is kept"},
}};

int run(int argc, char** argv);

}  // namespace krica::cli
